import { KeyRound, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { queryKeys } from '../../api/queries.ts';
import type { ApiKey } from '../../api/types.ts';
import { accessOf } from '../../session/access.ts';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { type Secret, SecretDialog } from '../../ui/secret-dialog.tsx';
import { Badge, EmptyState } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { useAction } from '../../ui/use-action.ts';
import { ConsolePage } from '../console-page.tsx';
import { FilterBar, useFilters } from '../filters.tsx';
import { ListView, useList } from '../list.tsx';
import { Code, StatusBadge, Time } from '../values.tsx';
import { NewKeyDialog } from './new-key-dialog.tsx';
import { NewUserDialog } from './new-user-dialog.tsx';
import { Users } from './users.tsx';

export default function PeoplePage() {
  const [{ view = 'users' }, change] = useFilters();
  const [adding, setAdding] = useState<{ what: 'user' } | { what: 'key'; username?: string }>();
  const [secret, setSecret] = useState<Secret>();
  const dialog = { onClose: () => setAdding(undefined), onSecret: setSecret };
  const newKey = (username: string) => setAdding({ what: 'key', username });
  return (
    <ConsolePage
      title="Users and keys"
      lead="Users, their roles and their API keys. Changes take effect immediately."
      actions={
        <>
          <Button icon={KeyRound} onClick={() => setAdding({ what: 'key' })}>
            New key
          </Button>
          <Button look="primary" icon={UserPlus} onClick={() => setAdding({ what: 'user' })}>
            New user
          </Button>
        </>
      }
    >
      <Tabs
        label="Users and keys"
        value={view}
        onChange={(chosen) => change({ view: chosen === 'users' ? undefined : chosen, user_id: undefined })}
        tabs={[
          {
            value: 'users',
            label: 'Users',
            content: view === 'users' && <Users onNewKey={newKey} onSecret={setSecret} />,
          },
          { value: 'keys', label: 'Keys', content: view === 'keys' && <Keys /> },
        ]}
      />
      {adding?.what === 'user' && <NewUserDialog {...dialog} />}
      {adding?.what === 'key' && <NewKeyDialog username={adding.username} {...dialog} />}
      {secret && <SecretDialog {...secret} onClose={() => setSecret(undefined)} />}
    </ConsolePage>
  );
}

export function Keys() {
  const [{ user_id }] = useFilters();
  const [disabling, setDisabling] = useState<ApiKey>();
  const list = useList<ApiKey>('/api-keys', queryKeys.apiKeyList(), { user_id });
  const disable = useAction<ApiKey>({
    run: ({ id }) => api.post(`/api-keys/${id}/disable`),
    stale: [queryKeys.apiKeys()],
    message: (_result, { name }) => `Disabled the key ${name}.`,
    onDone: () => setDisabling(undefined),
  });
  const columns: readonly Column<ApiKey>[] = [
    { title: 'Key', render: ({ name }) => <b>{name}</b> },
    { title: 'Prefix', render: ({ prefix }) => <Code>{prefix}…</Code> },
    { title: 'Owner', render: ({ owner }) => owner },
    {
      title: 'Role',
      render: ({ role, raw_mode_enabled }) => (
        <span className="row">
          {role}
          {raw_mode_enabled && <Badge>unredacted</Badge>}
        </span>
      ),
    },
    { title: 'Access', render: ({ scopes }) => accessOf(scopes) },
    {
      title: 'Status',
      render: ({ is_enabled }) => <StatusBadge status={is_enabled ? 'enabled' : 'disabled'} />,
    },
    { title: 'Last used', render: ({ last_used_at }) => <Time at={last_used_at} /> },
    { title: 'Expires', render: ({ expires_at }) => <Time at={expires_at} /> },
    {
      title: 'Actions',
      isTitleHidden: true,
      render: (key) =>
        key.is_enabled && (
          <span className="row console-row-actions">
            <Button size="small" look="danger" onClick={() => setDisabling(key)}>
              Disable
            </Button>
          </span>
        ),
    },
  ];
  return (
    <>
      {user_id && (
        <FilterBar clears={['user_id']}>
          <span className="muted small">Keys of one user</span>
        </FilterBar>
      )}
      <ListView
        label="Keys"
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={
          <EmptyState icon={KeyRound} title="No keys">
            Programs use API keys. People sign in with their password.
          </EmptyState>
        }
      />
      {disabling && (
        <ConfirmDialog
          title={`Disable the key ${disabling.name}?`}
          action="Disable"
          danger
          busy={disable.isPending}
          onConfirm={() => disable.mutate(disabling)}
          onClose={() => setDisabling(undefined)}
        >
          <p>Requests with this key are rejected from now on. A key cannot be enabled again.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
