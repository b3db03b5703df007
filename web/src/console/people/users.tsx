import { Link2, Users as UsersIcon } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { queryKeys } from '../../api/queries.ts';
import type { Role } from '../../api/types.ts';
import { useSession } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Select } from '../../ui/field.tsx';
import type { Secret } from '../../ui/secret-dialog.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { useAction } from '../../ui/use-action.ts';
import { ListView, useList } from '../list.tsx';
import type { User } from '../types.ts';
import { ConsoleLink, StatusBadge, Time } from '../values.tsx';
import { createSignInLink } from './new-user-dialog.tsx';
import { ROLE_OPTIONS } from './roles.tsx';

interface UsersProps {
  onNewKey: (username: string) => void;
  onSecret: (secret: Secret) => void;
}

export function Users({ onNewKey, onSecret }: UsersProps) {
  const { user: self } = useSession();
  const [disabling, setDisabling] = useState<User>();
  const list = useList<User>('/users', queryKeys.userList());
  const update = useAction<{ user: User; change: { role?: Role; is_enabled?: boolean } }, User>({
    run: ({ user, change }) => api.patchData<User>(`/users/${user.id}`, change),
    stale: [queryKeys.users(), queryKeys.apiKeys(), queryKeys.session()],
    message: ({ username, role, is_enabled }, { change }) => {
      if (change.role) return `${username} is now ${role}.`;
      return `${is_enabled ? 'Enabled' : 'Disabled'} ${username}.`;
    },
    onDone: () => setDisabling(undefined),
  });
  const link = useAction({ run: createSignInLink, onDone: onSecret });
  const columns: readonly Column<User>[] = [
    {
      title: 'User',
      render: ({ username, display_name }) => (
        <span>
          <b>{username}</b>
          {display_name !== username && <span className="muted"> {display_name}</span>}
        </span>
      ),
    },
    {
      title: 'Status',
      render: ({ is_enabled }) => <StatusBadge status={is_enabled ? 'enabled' : 'disabled'} />,
    },
    {
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
    { title: 'Created', render: ({ created_at }) => <Time at={created_at} /> },
    {
      title: 'Actions',
      isTitleHidden: true,
      render: (user) => (
        <span className="row console-row-actions">
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
            disabled={!user.is_enabled}
            onClick={() => link.mutate(user)}
          >
            Sign-in link
          </Button>
          {user.is_enabled ? (
            <Button
              size="small"
              look="danger"
              disabled={user.id === self.id}
              onClick={() => setDisabling(user)}
            >
              Disable
            </Button>
          ) : (
            <Button size="small" onClick={() => update.mutate({ user, change: { is_enabled: true } })}>
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
        rowKey={({ id }) => id}
        empty={<EmptyState icon={UsersIcon} title="No users" />}
      />
      {disabling && (
        <ConfirmDialog
          title={`Disable ${disabling.username}?`}
          action="Disable"
          danger
          busy={update.isPending}
          onConfirm={() => update.mutate({ user: disabling, change: { is_enabled: false } })}
          onClose={() => setDisabling(undefined)}
        >
          <p>
            Their sessions and keys stop working immediately. Their data stays, and the user can be enabled
            again.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
