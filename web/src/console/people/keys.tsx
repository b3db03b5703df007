import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { FilterBar } from '../filter-bar.tsx';
import { ListView } from '../list-view.tsx';
import { useList } from '../lists.ts';
import { StatusBadge } from '../status-badge.tsx';
import { Time } from '../time.tsx';
import type { ApiKey } from '../types.ts';
import { useDeed } from '../use-deed.ts';

interface KeysProps {
  userId: string | undefined;
  onShowAll: () => void;
}

export function Keys({ userId, onShowAll }: KeysProps) {
  const [disabling, setDisabling] = useState<ApiKey>();
  const list = useList<'api_keys', ApiKey>('api_keys', {
    queryKey: ['api-keys', 'list'],
    path: '/api/v1/api-keys',
    filters: { user_id: userId },
  });
  const disable = useDeed<ApiKey>({
    run: ({ id }) => api.post(`/api/v1/api-keys/${id}/disable`),
    stale: [['api-keys']],
    said: (_result, { name }) => `The key ${name} opens nothing any more.`,
    onDone: () => setDisabling(undefined),
  });
  const columns: readonly Column<ApiKey>[] = [
    { key: 'name', title: 'Key', render: ({ name }) => <b>{name}</b> },
    { key: 'prefix', title: 'Begins', render: ({ prefix }) => <code className="mono">{prefix}…</code> },
    { key: 'owner', title: 'Of', render: ({ owner }) => owner },
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
      title: 'State',
      render: ({ enabled }) => <StatusBadge status={enabled ? 'enabled' : 'disabled'} />,
    },
    { key: 'used', title: 'Last used', render: ({ last_used_at }) => <Time at={last_used_at} /> },
    { key: 'expires', title: 'Expires', render: ({ expires_at }) => <Time at={expires_at} /> },
    {
      key: 'deeds',
      title: <span className="visually-hidden">Actions</span>,
      render: (key) =>
        key.enabled && (
          <span className="row console-row-deeds">
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
          <span className="muted small">The keys of one user</span>
        </FilterBar>
      )}
      <ListView
        label="Keys"
        list={list}
        columns={columns}
        rows={list.rows}
        rowKey={({ id }) => id}
        empty={
          <EmptyState icon={KeyRound} title="There is no key">
            Programs use Nexus with a key; people sign in with their password.
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
          <p>
            Whatever uses it gets 401 from the next request on. A key cannot be enabled again; make a new one.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
