import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../api/client.ts';
import { errorMessage } from '../api/error.ts';
import { queryKeys } from '../api/query-keys.ts';
import type { ApiKey } from '../api/types.ts';
import { timeAgo } from '../library/format.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { TextField } from '../ui/field.tsx';
import { showToast } from '../ui/toasts.ts';
import { FormError } from './card-page.tsx';
import { useSession } from './session.ts';

/** The person's API keys. A new key is shown once. */
export function ApiKeys() {
  const { user } = useSession();
  const queryClient = useQueryClient();
  const [createdKey, setCreatedKey] = useState<string>();
  const keys = useQuery({
    queryKey: queryKeys.apiKeyList(user.id),
    queryFn: () =>
      api
        .get<{ api_keys: ApiKey[] }>('/api/v1/api-keys', { user_id: user.id })
        .then(({ api_keys }) => api_keys),
  });
  const refresh = () => queryClient.invalidateQueries({ queryKey: queryKeys.apiKeys() });
  const creating = useMutation({
    mutationFn: (name: string) => api.post<{ key: string }>('/api/v1/api-keys', { user_id: user.id, name }),
    onSuccess: ({ key }) => {
      setCreatedKey(key);
      void refresh();
    },
  });
  const disabling = useMutation({
    mutationFn: (id: string) => api.post(`/api/v1/api-keys/${id}/disable`),
    onSettled: refresh,
    onError: (error) => void showToast(errorMessage(error)),
  });
  const columns: Column<ApiKey>[] = [
    { key: 'name', title: 'Name', render: ({ name }) => name },
    { key: 'prefix', title: 'Prefix', render: ({ prefix }) => <span className="mono">{prefix}…</span> },
    {
      key: 'used',
      title: 'Last used',
      render: ({ last_used_at }) => (last_used_at ? timeAgo(last_used_at) : 'never'),
    },
    {
      key: 'state',
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
      <form
        className="row row-end"
        onSubmit={(event: FormEvent<HTMLFormElement>) => {
          event.preventDefault();
          creating.mutate(String(new FormData(event.currentTarget).get('name') ?? ''));
        }}
      >
        <TextField label="Name" name="name" maxLength={100} required className="grow" />
        <Button type="submit" busy={creating.isPending}>
          Create key
        </Button>
      </form>
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
          rows={keys.data}
          rowKey={({ id }) => id}
          skeletonRows={2}
        />
      )}
    </div>
  );
}
