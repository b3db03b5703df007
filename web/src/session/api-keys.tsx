import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../api/client.ts';
import { sentenceOf } from '../api/error.ts';
import type { ApiKey } from '../api/types.ts';
import { whenOf } from '../library/words.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { TextField } from '../ui/field.tsx';
import { showToast } from '../ui/toasts.ts';
import { FormError } from './entrance.tsx';
import { useSession } from './session.ts';

/** The person's own keys. A new one is shown once. */
export function ApiKeys() {
  const { user } = useSession();
  const queryClient = useQueryClient();
  const [made, setMade] = useState<string>();
  const keys = useQuery({
    queryKey: ['api-keys', user.id],
    queryFn: () =>
      api
        .get<{ api_keys: ApiKey[] }>('/api/v1/api-keys', { user_id: user.id })
        .then(({ api_keys }) => api_keys),
  });
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['api-keys'] });
  const making = useMutation({
    mutationFn: (name: string) => api.post<{ key: string }>('/api/v1/api-keys', { user_id: user.id, name }),
    onSuccess: ({ key }) => {
      setMade(key);
      void refresh();
    },
  });
  const disabling = useMutation({
    mutationFn: (id: string) => api.post(`/api/v1/api-keys/${id}/disable`),
    onSettled: refresh,
    onError: (error) => void showToast(sentenceOf(error)),
  });
  const columns: Column<ApiKey>[] = [
    { key: 'name', title: 'Name', render: ({ name }) => name },
    { key: 'prefix', title: 'Begins with', render: ({ prefix }) => <span className="mono">{prefix}…</span> },
    {
      key: 'used',
      title: 'Last used',
      render: ({ last_used_at }) => (last_used_at ? whenOf(last_used_at) : 'never'),
    },
    {
      key: 'state',
      title: 'State',
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
          making.mutate(String(new FormData(event.currentTarget).get('name') ?? ''));
        }}
      >
        <TextField label="Name of a new key" name="name" maxLength={100} required className="grow" />
        <Button type="submit" busy={making.isPending}>
          Make a key
        </Button>
      </form>
      <FormError error={making.error} />
      {made && (
        <div className="card stack" role="status">
          <p>This is the key. It is shown only now, so copy it.</p>
          <code className="mono">{made}</code>
          <div>
            <Button
              size="small"
              onClick={() => void navigator.clipboard.writeText(made).then(() => showToast('Copied'))}
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
