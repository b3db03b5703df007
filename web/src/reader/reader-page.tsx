export default function ReaderPage() {
  return <div className="page" />;
}
