import './sharing.css';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Inbox } from 'lucide-react';
import { api } from '../api/client.ts';
import { errorMessage } from '../api/error.ts';
import { queryKeys } from '../api/query-keys.ts';
import type { Invitation } from '../api/types.ts';
import { timeAgo } from '../library/format.ts';
import { invitationsQuery } from '../library/queries.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { usePageTitle } from '../ui/page-title.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { showToast } from '../ui/toasts.ts';

/** The invitations that the person has received. */
export default function InvitationsPage() {
  const { data: invitations, error, refetch } = useQuery(invitationsQuery);
  usePageTitle('Invitations');
  return (
    <div className="page page-narrow">
      <div className="page-head">
        <h1 className="page-title">Invitations</h1>
      </div>
      {error && !invitations && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!invitations && !error && <Skeleton height="5rem" />}
      {invitations?.length === 0 && (
        <EmptyState icon={Inbox} title="No invitations">
          Invitations to libraries appear here. Accept one to read everything in that library.
        </EmptyState>
      )}
      <div className="stack">
        {invitations?.map((invitation) => (
          <InvitationCard key={invitation.id} invitation={invitation} />
        ))}
      </div>
    </div>
  );
}

function InvitationCard({ invitation }: { invitation: Invitation }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const answering = useMutation({
    mutationFn: (answer: 'accept' | 'decline') => api.post(`/libraries/invites/${invitation.id}/${answer}`),
    onSuccess: async (_, answer) => {
      await queryClient.invalidateQueries({ queryKey: queryKeys.invitations() });
      await queryClient.invalidateQueries({ queryKey: queryKeys.libraries() });
      if (answer === 'decline') return showToast(`Declined the invitation to ${invitation.library_name}`);
      await navigate({ to: '/library/$libraryId', params: { libraryId: invitation.library_id } });
      showToast(`You joined ${invitation.library_name}`);
    },
    onError: (error) => {
      showToast(errorMessage(error));
      void queryClient.invalidateQueries({ queryKey: queryKeys.invitations() });
    },
  });
  return (
    <article className="invitation">
      <div className="grow">
        <h2 className="section-title">{invitation.library_name}</h2>
        <p className="muted">
          {invitation.inviter_username} invited you as {invitation.role === 'admin' ? 'an admin' : 'a member'}
          , {timeAgo(invitation.created_at)}.
        </p>
      </div>
      <div className="row">
        <Button busy={answering.isPending} onClick={() => answering.mutate('decline')}>
          Decline
        </Button>
        <Button look="primary" busy={answering.isPending} onClick={() => answering.mutate('accept')}>
          Accept
        </Button>
      </div>
    </article>
  );
}
