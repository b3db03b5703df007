import './api-keys.css';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Ban, Ellipsis, KeyRound, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { queryKeys } from '../api/queries.ts';
import type { ApiKey, ListPage } from '../api/types.ts';

import { Button, IconButton } from '../ui/button.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { dateTime, dayOf, timeAgo } from '../ui/dates.ts';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { type Secret, SecretDialog } from '../ui/secret-dialog.tsx';
import { Badge, ErrorState, MoreButton } from '../ui/states.tsx';
import { useAction } from '../ui/use-action.ts';
import { accessOf } from './access.ts';
import { NewApiKeyDialog } from './new-api-key-dialog.tsx';

/** An action that is about to be confirmed. */
interface Asked {
  action: 'disable' | 'delete';
  apiKey: ApiKey;
}

/** The keys of the person who is signed in. */
export function ApiKeys() {
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState<Secret>();
  const [asked, setAsked] = useState<Asked>();
  const list = useInfiniteQuery({
    queryKey: queryKeys.myApiKeys(),
    queryFn: ({ pageParam, signal }) =>
      api.get<ListPage<ApiKey>>('/me/api-keys', { limit: 50, cursor: pageParam }, signal),
    initialPageParam: '',
    getNextPageParam: ({ page }) => page.next_cursor ?? undefined,
  });
  const keys = list.data?.pages.flatMap(({ data }) => data);
  return (
    <div className="stack">
      <p>
        Create a key for each program that uses Nexus in your name, such as a browser extension, a phone or a
        script.
      </p>
      <div>
        <Button icon={KeyRound} onClick={() => setCreating(true)}>
          New key
        </Button>
      </div>
      {list.error && !keys ? (
        <ErrorState error={list.error} onRetry={() => void list.refetch()} />
      ) : (
        keys?.length !== 0 && (
          <DataTable
            label="API keys"
            columns={columnsFor(setAsked)}
            rows={keys}
            rowKey={({ id }) => id}
            skeletonRows={2}
          />
        )
      )}
      {list.hasNextPage && (
        <div>
          <MoreButton list={list} size="small" />
        </div>
      )}
      {isCreating && <NewApiKeyDialog onClose={() => setCreating(false)} onSecret={setSecret} />}
      {secret && <SecretDialog {...secret} onClose={() => setSecret(undefined)} />}
      {asked && <ConfirmAction {...asked} onClose={() => setAsked(undefined)} />}
    </div>
  );
}

function columnsFor(ask: (asked: Asked) => void): readonly Column<ApiKey>[] {
  return [
    {
      title: 'Key',
      render: (key) => (
        <span>
          <span className="api-key-name">{key.name}</span>
          <span className="api-key-note">
            <code className="mono api-key-prefix">{key.prefix}…</code>
            <StateBadge apiKey={key} />
          </span>
        </span>
      ),
    },
    { title: 'Access', render: ({ scopes }) => accessOf(scopes) },
    {
      title: 'Last used',
      render: ({ last_used_at }) => <Time at={last_used_at} shown={timeAgo} />,
    },
    { title: 'Expires', render: ({ expires_at }) => <Time at={expires_at} shown={dayOf} /> },
    {
      title: 'Actions',
      isTitleHidden: true,
      render: (key) => (
        <Menu
          trigger={
            <IconButton label={`Actions for ${key.name}`} icon={Ellipsis} size="small" withTooltip={false} />
          }
        >
          {key.is_enabled && (
            <MenuItem label="Disable" icon={Ban} onSelect={() => ask({ action: 'disable', apiKey: key })} />
          )}
          <MenuItem
            label="Delete"
            icon={Trash2}
            danger
            onSelect={() => ask({ action: 'delete', apiKey: key })}
          />
        </Menu>
      ),
    },
  ];
}

function Time({ at, shown }: { at: string | null; shown: (at: string) => string }) {
  if (at === null) return <span className="muted">never</span>;
  return (
    <time className="api-key-time" dateTime={at} title={dateTime(at)}>
      {shown(at)}
    </time>
  );
}

function StateBadge({ apiKey: { is_enabled, expires_at } }: { apiKey: ApiKey }) {
  if (!is_enabled) return <Badge>Disabled</Badge>;
  if (expires_at && Date.parse(expires_at) <= Date.now()) return <Badge tone="amber">Expired</Badge>;
  return <Badge tone="accent">Active</Badge>;
}

function ConfirmAction({ action, apiKey, onClose }: Asked & { onClose: () => void }) {
  const isDelete = action === 'delete';
  const confirmed = useAction({
    run: () =>
      isDelete ? api.delete(`/me/api-keys/${apiKey.id}`) : api.post(`/me/api-keys/${apiKey.id}/disable`),
    stale: [queryKeys.apiKeys()],
    message: () => `${isDelete ? 'Deleted' : 'Disabled'} the key ${apiKey.name}.`,
    onDone: onClose,
  });
  return (
    <ConfirmDialog
      title={`${isDelete ? 'Delete' : 'Disable'} the key ${apiKey.name}?`}
      action={isDelete ? 'Delete' : 'Disable'}
      danger
      busy={confirmed.isPending}
      onConfirm={() => confirmed.mutate()}
      onClose={onClose}
    >
      Programs that use this key lose access immediately. If you signed in with it, you are signed out.{' '}
      {isDelete ? 'This cannot be undone.' : 'A key cannot be enabled again.'}
    </ConfirmDialog>
  );
}
