import './sharing.css';
import type { Library } from '../api/types.ts';
import { Dialog } from '../ui/dialog.tsx';
import { InviteForm } from './invite-form.tsx';
import { Members } from './members.tsx';
import { PendingInvitations } from './pending-invitations.tsx';

/** Who is in a library, who is asked to be, and who else might be. */
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
          You are a member of this library and read all that is in it. Its admins decide who else is. To
          leave, use the menu of the library.
        </p>
      )}
    </Dialog>
  );
}
