import { useState } from 'react';
import { api } from '../../api/client.ts';
import { queryKeys } from '../../api/queries.ts';
import type { CreatedApiKey, Role } from '../../api/types.ts';
import { useSession } from '../../session/session.ts';
import { dayInputValue, endOfDay } from '../../ui/dates.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import type { Secret } from '../../ui/secret-dialog.tsx';
import { useAction } from '../../ui/use-action.ts';
import { RoleChoice } from './roles.tsx';

interface NewKeyDialogProps {
  username: string | undefined;
  onClose: () => void;
  onSecret: (secret: Secret) => void;
}

export function NewKeyDialog({ username, onClose, onSecret }: NewKeyDialogProps) {
  const { user } = useSession();
  const [role, setRole] = useState<Role>('viewer');
  const create = useAction<object, CreatedApiKey>({
    run: (key) => api.postData<CreatedApiKey>('/api-keys', { ...key, role }),
    stale: [queryKeys.apiKeys()],
    quiet: true,
    onDone: ({ key, owner }) => {
      onClose();
      onSecret({
        title: `API key for ${owner}`,
        noun: 'key',
        secret: key,
        hint: 'Send it in the header X-Nexus-API-Key, or as Authorization: Bearer.',
      });
    },
  });
  return (
    <FormDialog
      title="New key"
      lead="For a program that acts as this user, with at most their rights."
      action="Create"
      busy={create.isPending}
      onSubmit={(field) =>
        create.mutate({
          username: field('username').trim(),
          name: field('name').trim(),
          raw_mode_enabled: field('raw') !== '',
          ...(field('expires') && { expires_at: endOfDay(field('expires')).toISOString() }),
        })
      }
      onClose={onClose}
    >
      <TextField
        label="User"
        name="username"
        required
        autoComplete="off"
        defaultValue={username ?? user.username}
        error={create.error}
      />
      <TextField
        label="Name"
        name="name"
        required
        maxLength={100}
        autoComplete="off"
        hint="What the key is used for."
      />
      <RoleChoice value={role} onChange={setRole} />
      <label className="row">
        <input type="checkbox" className="checkbox" name="raw" />
        May read unredacted text
      </label>
      <TextField
        label="Expires"
        name="expires"
        type="date"
        min={dayInputValue(new Date())}
        hint="The last day on which it works. Leave empty for a key that never expires."
      />
    </FormDialog>
  );
}
