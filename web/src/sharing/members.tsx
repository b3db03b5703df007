import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Crown, Ellipsis, UserMinus } from 'lucide-react';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { errorMessage } from '../api/error.ts';
import { queryKeys } from '../api/query-keys.ts';
import type { Library, LibraryRole, Member } from '../api/types.ts';
import { useSession } from '../session/session.ts';
import { Badge } from '../ui/badge.tsx';
import { IconButton } from '../ui/button.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Select } from '../ui/field.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { showToast } from '../ui/toasts.ts';
import { membersQuery } from './queries.ts';
import { RemovalDialog } from './removal-dialog.tsx';
import { ROLE_OPTIONS } from './roles.ts';
import { TransferDialog } from './transfer-dialog.tsx';

export function Members({ library }: { library: Library }) {
  const { data: members, error, refetch } = useQuery(membersQuery(library.id));
  return (
    <section className="share-section">
      <h3 className="section-title">Members</h3>
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!members && !error && <Skeleton height="3.5rem" />}
      <ul className="people">
        {members?.map((member) => (
          <MemberRow key={member.user_id} member={member} library={library} />
        ))}
      </ul>
    </section>
  );
}

function MemberRow({ member, library }: { member: Member; library: Library }) {
  const { user } = useSession();
  const queryClient = useQueryClient();
  const [asked, setAsked] = useState<'remove' | 'transfer'>();
  const isSelf = member.user_id === user.id;
  const isOwner = library.owner_user_id === user.id;
  const changing = useMutation({
    mutationFn: (role: LibraryRole) =>
      api.patch(`/libraries/${library.id}/members/${member.user_id}`, { role }),
    onError: (error) => void showToast(errorMessage(error)),
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeys.members(library.id) }),
  });
  return (
    <li className="person">
      <span className="avatar" aria-hidden>
        {member.display_name[0]}
      </span>
      <span className="grow">
        <span className="person-name">
          {member.display_name}
          {isSelf && ' (you)'}
        </span>
        <br />
        <span className="small muted">{member.username}</span>
      </span>
      {member.is_owner ? (
        <Badge tone="accent">Owner</Badge>
      ) : (
        <Select
          label={`Role of ${member.username}`}
          value={member.role}
          options={ROLE_OPTIONS}
          disabled={changing.isPending}
          onChange={changing.mutate}
        />
      )}
      {!member.is_owner && (
        <Menu
          trigger={
            <IconButton
              label={`Actions for ${member.username}`}
              icon={Ellipsis}
              size="small"
              withTooltip={false}
            />
          }
        >
          {isOwner && (
            <MenuItem icon={Crown} onSelect={() => setAsked('transfer')}>
              Make owner
            </MenuItem>
          )}
          <MenuItem icon={UserMinus} danger onSelect={() => setAsked('remove')}>
            {isSelf ? 'Leave' : 'Remove'}
          </MenuItem>
        </Menu>
      )}
      {asked === 'remove' && (
        <RemovalDialog member={member} library={library} onClose={() => setAsked(undefined)} />
      )}
      {asked === 'transfer' && (
        <TransferDialog member={member} library={library} onClose={() => setAsked(undefined)} />
      )}
    </li>
  );
}
