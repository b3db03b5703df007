export default function InvitationsPage() {
  return <div className="page" />;
}
