export default function WelcomePage() {
  return <div className="page" />;
}
