export default function SignInPage() {
  return <div className="page" />;
}
