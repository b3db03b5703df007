import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { getQuery, queryKeys } from '../api/queries.ts';
import type { ApiKey } from '../api/types.ts';
import { timeAgo } from '../library/format.ts';
import { Button } from '../ui/button.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { Form, TextField } from '../ui/field.tsx';
import { Badge, ErrorState } from '../ui/states.tsx';
import { showToast } from '../ui/toasts.tsx';
import { useAction } from '../ui/use-action.ts';
import { FormError } from './card-page.tsx';
import { useSession } from './session.ts';

/** The person's API keys. A new key is shown once. */
export function ApiKeys() {
  const { user } = useSession();
  const [createdKey, setCreatedKey] = useState<string>();
  const keys = useQuery(
    getQuery<{ api_keys: ApiKey[] }>(queryKeys.apiKeyList(user.id), '/api/v1/api-keys', { user_id: user.id }),
  );
  const stale = [queryKeys.apiKeys()];
  const creating = useAction({
    run: (name: string) => api.post<{ key: string }>('/api/v1/api-keys', { user_id: user.id, name }),
    stale,
    onDone: ({ key }) => setCreatedKey(key),
    quiet: true,
  });
  const disabling = useAction({ run: (id: string) => api.post(`/api/v1/api-keys/${id}/disable`), stale });
  const columns: Column<ApiKey>[] = [
    { title: 'Name', render: ({ name }) => name },
    { title: 'Prefix', render: ({ prefix }) => <span className="mono">{prefix}…</span> },
    {
      title: 'Last used',
      render: ({ last_used_at }) => (last_used_at ? timeAgo(last_used_at) : 'never'),
    },
    {
      title: 'Status',
      render: ({ id, enabled }) =>
        enabled ? (
          <Button size="small" look="danger" onClick={() => disabling.mutate(id)}>
            Disable
          </Button>
        ) : (
          <Badge>Disabled</Badge>
        ),
    },
  ];
  return (
    <div className="stack">
      <Form className="row row-end" onSubmit={(field) => creating.mutate(field('name'))}>
        <TextField label="Name" name="name" maxLength={100} required className="grow" />
        <Button type="submit" busy={creating.isPending}>
          Create key
        </Button>
      </Form>
      <FormError error={creating.error} />
      {createdKey && (
        <div className="card stack" role="status">
          <p>Copy this key now. It will not be shown again.</p>
          <code className="mono">{createdKey}</code>
          <div>
            <Button
              size="small"
              onClick={() => void navigator.clipboard.writeText(createdKey).then(() => showToast('Copied'))}
            >
              Copy
            </Button>
          </div>
        </div>
      )}
      {keys.error ? (
        <ErrorState error={keys.error} onRetry={() => void keys.refetch()} />
      ) : (
        <DataTable
          label="API keys"
          columns={columns}
          rows={keys.data?.api_keys}
          rowKey={({ id }) => id}
          skeletonRows={2}
        />
      )}
    </div>
  );
}
