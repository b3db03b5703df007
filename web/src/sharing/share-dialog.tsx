import './sharing.css';
import type { Library } from '../api/types.ts';
import { Dialog } from '../ui/dialog.tsx';
import { InviteForm } from './invite-form.tsx';
import { Members } from './members.tsx';
import { PendingInvitations } from './pending-invitations.tsx';

/** The members of a library, its pending invitations, and a form to invite more people. */
export default function ShareDialog({ library, onClose }: { library: Library; onClose: () => void }) {
  const isAdmin = library.role === 'admin';
  return (
    <Dialog open onClose={onClose} title={`Share ${library.name}`} size="wide">
      {isAdmin ? (
        <>
          <InviteForm library={library} />
          <PendingInvitations library={library} />
          <Members library={library} />
        </>
      ) : (
        <p className="muted">
          You can read everything in this library. Its admins manage the members. To leave, use the menu of
          the library.
        </p>
      )}
    </Dialog>
  );
}
