import { useQuery } from '@tanstack/react-query';
import { Crown, Ellipsis, UserMinus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { api } from '../api/client.ts';
import { dataQuery, queryKeys } from '../api/queries.ts';
import type { Library, LibraryRole, Member } from '../api/types.ts';
import { ROLE_OPTIONS } from '../library/roles.ts';
import { useSession } from '../session/session.ts';
import { IconButton } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { Select } from '../ui/field.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { Badge, Pending, Skeleton } from '../ui/states.tsx';
import { useAction } from '../ui/use-action.ts';
import { type MemberDialogProps, RemovalDialog } from './removal-dialog.tsx';

export function Members({ library }: { library: Library }) {
  const path = `/libraries/${library.id}/members`;
  const members = useQuery(dataQuery<Member[]>(queryKeys.members(library.id), path, { limit: 200 }));
  return (
    <section className="share-section">
      <h3 className="section-title">Members</h3>
      <Pending query={members}>
        <Skeleton height="3.5rem" />
      </Pending>
      <ul className="people">
        {members.data?.map((member) => (
          <MemberRow key={member.user_id} member={member} library={library} />
        ))}
      </ul>
    </section>
  );
}

/** A row of a list of people, with actions. */
export function Person({ name, note, children }: { name: string; note: string; children: ReactNode }) {
  return (
    <li className="person">
      <span className="avatar" aria-hidden>
        {name[0]}
      </span>
      <span className="grow">
        <span className="person-name">{name}</span>
        <br />
        <span className="small muted">{note}</span>
      </span>
      {children}
    </li>
  );
}

function MemberRow({ member, library }: { member: Member; library: Library }) {
  const { user } = useSession();
  const [asked, setAsked] = useState<'remove' | 'transfer'>();
  const isSelf = member.user_id === user.id;
  const dialog = { member, library, onClose: () => setAsked(undefined) };
  const changing = useAction({
    run: (role: LibraryRole) => api.patch(`/libraries/${library.id}/members/${member.user_id}`, { role }),
    stale: [queryKeys.members(library.id)],
  });
  return (
    <Person name={`${member.display_name}${isSelf ? ' (you)' : ''}`} note={member.username}>
      {member.is_owner ? (
        <Badge tone="accent">Owner</Badge>
      ) : (
        <>
          <Select
            label={`Role of ${member.username}`}
            value={member.role}
            options={ROLE_OPTIONS}
            disabled={changing.isPending}
            onChange={(role) => changing.mutate(role)}
          />
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
            {library.owner_user_id === user.id && (
              <MenuItem label="Make owner" icon={Crown} onSelect={() => setAsked('transfer')} />
            )}
            <MenuItem
              label={isSelf ? 'Leave' : 'Remove'}
              icon={UserMinus}
              danger
              onSelect={() => setAsked('remove')}
            />
          </Menu>
        </>
      )}
      {asked === 'remove' && <RemovalDialog {...dialog} />}
      {asked === 'transfer' && <TransferDialog {...dialog} />}
    </Person>
  );
}

function TransferDialog({ member, library, onClose }: MemberDialogProps) {
  const transferring = useAction({
    run: () => api.post(`/libraries/${library.id}/transfer-ownership`, { new_owner_user_id: member.user_id }),
    stale: [queryKeys.libraries(), queryKeys.members(library.id)],
    message: () => `${member.display_name} is now the owner of ${library.name}`,
    onDone: onClose,
  });
  return (
    <ConfirmDialog
      title={`Make ${member.display_name} the owner?`}
      action="Make owner"
      danger
      busy={transferring.isPending}
      onConfirm={() => transferring.mutate()}
      onClose={onClose}
    >
      Only the owner can delete the library or transfer ownership. You stay an editor, but you cannot undo
      this yourself.
    </ConfirmDialog>
  );
}
