import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { errorMessage } from '../api/error.ts';
import { queryKeys } from '../api/query-keys.ts';
import type { Invitation, Library } from '../api/types.ts';
import { timeAgo } from '../library/format.ts';
import { Button } from '../ui/button.tsx';
import { showToast } from '../ui/toasts.ts';
import { pendingQuery } from './queries.ts';

export function PendingInvitations({ library }: { library: Library }) {
  const { data: invitations = [] } = useQuery(pendingQuery(library.id));
  if (invitations.length === 0) return null;
  return (
    <section className="share-section">
      <h3 className="section-title">Pending invitations</h3>
      <ul className="people">
        {invitations.map((invitation) => (
          <Pending key={invitation.id} invitation={invitation} />
        ))}
      </ul>
    </section>
  );
}

function Pending({ invitation }: { invitation: Invitation }) {
  const queryClient = useQueryClient();
  const refresh = () =>
    queryClient.invalidateQueries({ queryKey: queryKeys.invitations(invitation.library_id) });
  const revoking = useMutation({
    mutationFn: () => api.delete(`/libraries/invites/${invitation.id}`),
    onSuccess: async () => {
      await refresh();
      showToast(`Cancelled the invitation of ${invitation.invitee_username}`, {
        action: {
          label: 'Undo',
          run: () =>
            void api
              .post(`/libraries/${invitation.library_id}/invites`, {
                invitee_user_id: invitation.invitee_user_id,
                role: invitation.role,
              })
              .then(refresh, (error) => void showToast(errorMessage(error))),
        },
      });
    },
    onError: (error) => void showToast(errorMessage(error)),
  });
  return (
    <li className="person">
      <span className="avatar" aria-hidden>
        {invitation.invitee_username[0]}
      </span>
      <span className="grow">
        <span className="person-name">{invitation.invitee_username}</span>
        <br />
        <span className="small muted">
          as {invitation.role}, invited by {invitation.inviter_username} {timeAgo(invitation.created_at)}
        </span>
      </span>
      <Button
        size="small"
        aria-label={`Cancel the invitation of ${invitation.invitee_username}`}
        busy={revoking.isPending}
        onClick={() => revoking.mutate()}
      >
        Cancel
      </Button>
    </li>
  );
}
