import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { FilterBar } from '../filter-bar.tsx';
import { ListView } from '../list-view.tsx';
import { useList } from '../lists.ts';
import { StatusBadge } from '../status-badge.tsx';
import { Time } from '../time.tsx';
import type { ApiKey } from '../types.ts';
import { useAction } from '../use-action.ts';

interface KeysProps {
  userId: string | undefined;
  onShowAll: () => void;
}

export function Keys({ userId, onShowAll }: KeysProps) {
  const [disabling, setDisabling] = useState<ApiKey>();
  const list = useList<'api_keys', ApiKey>('api_keys', {
    queryKey: queryKeys.apiKeyList(),
    path: '/api/v1/api-keys',
    filters: { user_id: userId },
  });
  const disable = useAction<ApiKey>({
    run: ({ id }) => api.post(`/api/v1/api-keys/${id}/disable`),
    stale: [queryKeys.apiKeys()],
    message: (_result, { name }) => `Disabled the key ${name}.`,
    onDone: () => setDisabling(undefined),
  });
  const columns: readonly Column<ApiKey>[] = [
    { key: 'name', title: 'Key', render: ({ name }) => <b>{name}</b> },
    { key: 'prefix', title: 'Prefix', render: ({ prefix }) => <code className="mono">{prefix}…</code> },
    { key: 'owner', title: 'Owner', render: ({ owner }) => owner },
    {
      key: 'role',
      title: 'Role',
      render: ({ role, raw_mode_enabled }) => (
        <span className="row">
          {role}
          {raw_mode_enabled && <Badge>RAW</Badge>}
        </span>
      ),
    },
    {
      key: 'state',
      title: 'Status',
      render: ({ enabled }) => <StatusBadge status={enabled ? 'enabled' : 'disabled'} />,
    },
    { key: 'used', title: 'Last used', render: ({ last_used_at }) => <Time at={last_used_at} /> },
    { key: 'expires', title: 'Expires', render: ({ expires_at }) => <Time at={expires_at} /> },
    {
      key: 'actions',
      title: <span className="visually-hidden">Actions</span>,
      render: (key) =>
        key.enabled && (
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
      {userId && (
        <FilterBar onClear={onShowAll}>
          <span className="muted small">Keys of one user</span>
        </FilterBar>
      )}
      <ListView
        label="Keys"
        list={list}
        columns={columns}
        rows={list.rows}
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
