export default function LibraryPage() {
  return <div className="page" />;
}
