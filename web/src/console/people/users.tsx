import { Link2, Users as UsersIcon } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import type { Role } from '../../api/types.ts';
import { useSession } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Select } from '../../ui/field.tsx';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { ConsoleLink } from '../console-link.tsx';
import { ListView } from '../list-view.tsx';
import { useList } from '../lists.ts';
import type { Secret } from '../secret-once.tsx';
import { StatusBadge } from '../status-badge.tsx';
import { Time } from '../time.tsx';
import type { User } from '../types.ts';
import { useDeed } from '../use-deed.ts';
import { ROLE_OPTIONS } from './roles.ts';
import { makeSignInLink } from './sign-in-link.ts';

interface UsersProps {
  onNewKey: (username: string) => void;
  onSecret: (secret: Secret) => void;
}

export function Users({ onNewKey, onSecret }: UsersProps) {
  const { user: self } = useSession();
  const [disabling, setDisabling] = useState<User>();
  const list = useList<'users', User>('users', { queryKey: ['users', 'list'], path: '/api/v1/users' });
  const update = useDeed<{ user: User; change: { role?: Role; disabled?: boolean } }, User>({
    run: ({ user, change }) => api.patch<User>(`/api/v1/users/${user.id}`, change),
    stale: [['users'], ['api-keys'], ['session']],
    said: ({ username, role, disabled_at }, { change }) => {
      if (change.role) return `${username} is ${role} now.`;
      return `${username} is ${disabled_at ? 'disabled' : 'enabled'} now.`;
    },
    onDone: () => setDisabling(undefined),
  });
  const link = useDeed<User, Secret>({ run: makeSignInLink, stale: [], onDone: onSecret });
  const columns: readonly Column<User>[] = [
    {
      key: 'user',
      title: 'User',
      render: ({ username, display_name }) => (
        <span>
          <b>{username}</b>
          {display_name !== username && <span className="muted"> {display_name}</span>}
        </span>
      ),
    },
    {
      key: 'state',
      title: 'State',
      render: ({ disabled_at }) => <StatusBadge status={disabled_at ? 'disabled' : 'enabled'} />,
    },
    {
      key: 'role',
      title: 'Role',
      render: (user) => (
        <Select
          label={`Role of ${user.username}`}
          value={user.role}
          options={ROLE_OPTIONS}
          disabled={user.id === self.id || update.isPending}
          onChange={(role) => update.mutate({ user, change: { role } })}
        />
      ),
    },
    { key: 'created', title: 'Since', render: ({ created_at }) => <Time at={created_at} /> },
    {
      key: 'deeds',
      title: <span className="visually-hidden">Actions</span>,
      render: (user) => (
        <span className="row console-row-deeds">
          <ConsoleLink to="people" search={{ view: 'keys', user_id: user.id }} className="small">
            Keys
          </ConsoleLink>
          <Button size="small" look="ghost" onClick={() => onNewKey(user.username)}>
            New key
          </Button>
          <Button
            size="small"
            look="ghost"
            icon={Link2}
            disabled={user.disabled_at !== null}
            onClick={() => link.mutate(user)}
          >
            Sign-in link
          </Button>
          {user.disabled_at === null ? (
            <Button
              size="small"
              look="danger"
              disabled={user.id === self.id}
              onClick={() => setDisabling(user)}
            >
              Disable
            </Button>
          ) : (
            <Button size="small" onClick={() => update.mutate({ user, change: { disabled: false } })}>
              Enable
            </Button>
          )}
        </span>
      ),
    },
  ];
  return (
    <>
      <ListView
        label="Users"
        list={list}
        columns={columns}
        rows={list.rows}
        rowKey={({ id }) => id}
        empty={<EmptyState icon={UsersIcon} title="There is nobody" />}
      />
      {disabling && (
        <ConfirmDialog
          title={`Disable ${disabling.username}?`}
          action="Disable"
          danger
          busy={update.isPending}
          onConfirm={() => update.mutate({ user: disabling, change: { disabled: true } })}
          onClose={() => setDisabling(undefined)}
        >
          <p>
            Their sessions and keys stop working with the next request. What is theirs stays, and they can be
            enabled again.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
