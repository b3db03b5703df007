import './sharing.css';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Inbox } from 'lucide-react';
import { api } from '../api/client.ts';
import { queryKeys } from '../api/queries.ts';
import type { Invitation } from '../api/types.ts';

import { invitationsQuery } from '../library/queries.ts';
import { rightsOf, roleName } from '../library/roles.ts';
import { Button } from '../ui/button.tsx';
import { timeAgo } from '../ui/dates.ts';
import { usePageTitle } from '../ui/page-title.ts';
import { EmptyState, Pending, Skeleton } from '../ui/states.tsx';
import { useAction } from '../ui/use-action.ts';

/** The invitations that the person has received. */
export default function InvitationsPage() {
  const query = useQuery(invitationsQuery);
  const invitations = query.data;
  usePageTitle('Invitations');
  return (
    <div className="page page-narrow">
      <div className="page-head">
        <h1 className="page-title">Invitations</h1>
      </div>
      <Pending query={query}>
        <Skeleton height="5rem" />
      </Pending>
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
  const navigate = useNavigate();
  const { library_id, library_name } = invitation;
  const answering = useAction({
    run: (answer: 'accept' | 'decline') => api.post(`/libraries/invites/${invitation.id}/${answer}`),
    stale: [queryKeys.invitations(), queryKeys.libraries()],
    message: (_, answer) =>
      answer === 'accept' ? `You joined ${library_name}` : `Declined the invitation to ${library_name}`,
    onDone: (_, answer) =>
      answer === 'accept' && navigate({ to: '/library/$libraryId', params: { libraryId: library_id } }),
  });
  return (
    <article className="invitation">
      <div className="grow">
        <h2 className="section-title">{library_name}</h2>
        <p className="muted">
          {invitation.inviter_username} invited you as {roleName(invitation.role)},{' '}
          {timeAgo(invitation.created_at)}.
        </p>
        <p className="small muted">{rightsOf(invitation.role, 'You')}</p>
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
