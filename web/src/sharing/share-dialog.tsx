import './sharing.css';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { dataQuery, queryKeys } from '../api/queries.ts';
import type { Invitation, Library, LibraryRole } from '../api/types.ts';
import { ROLE_OPTIONS, rightsOf, roleName } from '../library/roles.ts';
import { Button } from '../ui/button.tsx';
import { timeAgo } from '../ui/dates.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Form, Select } from '../ui/field.tsx';
import { showToast } from '../ui/toasts.tsx';
import { useAction } from '../ui/use-action.ts';
import { Members, Person } from './members.tsx';
import { PersonField } from './person-field.tsx';

/** The members of a library, its pending invitations, and a form to invite more people. */
export default function ShareDialog({ library, onClose }: { library: Library; onClose: () => void }) {
  const isAdmin = library.role === 'admin';
  return (
    <Dialog onClose={onClose} title={`Share ${library.name}`} size="wide">
      {isAdmin ? (
        <>
          <InviteForm library={library} />
          <PendingInvitations library={library} />
          <Members library={library} />
        </>
      ) : (
        <p className="muted">
          {rightsOf(library.role, 'You')} Its editors manage the members. To leave, use the menu of the
          library.
        </p>
      )}
    </Dialog>
  );
}

function InviteForm({ library }: { library: Library }) {
  const [username, setUsername] = useState('');
  const [role, setRole] = useState<LibraryRole>('member');
  const inviting = useAction({
    run: (invitee_username: string) =>
      api.post(`/libraries/${library.id}/invites`, { invitee_username, role }),
    stale: [queryKeys.invitations(library.id)],
    message: (_, invitee) => `Invited ${invitee} to ${library.name}`,
    onDone: () => setUsername(''),
    quiet: true,
  });
  return (
    <Form className="invite-form" onSubmit={() => inviting.mutate(username.trim())}>
      <PersonField
        label="Invite by username"
        value={username}
        onChange={(value) => {
          inviting.reset();
          setUsername(value);
        }}
        error={inviting.error}
      />
      <Select label="Role" value={role} options={ROLE_OPTIONS} onChange={setRole} />
      <Button look="primary" type="submit" busy={inviting.isPending} disabled={username.trim() === ''}>
        Invite
      </Button>
      <p className="invite-rights small muted" aria-live="polite">
        {rightsOf(role, 'They')}
      </p>
    </Form>
  );
}

function PendingInvitations({ library }: { library: Library }) {
  const path = `/libraries/${library.id}/invites`;
  const { data: invitations = [] } = useQuery(
    dataQuery<Invitation[]>(queryKeys.invitations(library.id), path, { status: 'pending', limit: 200 }),
  );
  if (invitations.length === 0) return null;
  return (
    <section className="share-section">
      <h3 className="section-title">Pending invitations</h3>
      <ul className="people">
        {invitations.map((invitation) => (
          <PendingInvitation key={invitation.id} invitation={invitation} />
        ))}
      </ul>
    </section>
  );
}

function PendingInvitation({ invitation }: { invitation: Invitation }) {
  const { id, library_id, invitee_user_id, invitee_username, inviter_username, role, created_at } =
    invitation;
  const stale = [queryKeys.invitations(library_id)];
  const inviting = useAction({
    run: () => api.post(`/libraries/${library_id}/invites`, { invitee_user_id, role }),
    stale,
  });
  const revoking = useAction({
    run: () => api.delete(`/libraries/invites/${id}`),
    stale,
    onDone: () =>
      showToast(`Cancelled the invitation for ${invitee_username}`, {
        action: { label: 'Undo', run: () => inviting.mutate() },
      }),
  });
  return (
    <Person
      name={invitee_username}
      note={`as ${roleName(role)}, invited by ${inviter_username} ${timeAgo(created_at)}`}
    >
      <Button
        size="small"
        aria-label={`Cancel the invitation for ${invitee_username}`}
        busy={revoking.isPending}
        onClick={() => revoking.mutate()}
      >
        Cancel
      </Button>
    </Person>
  );
}
