import { useState } from 'react';
import { api } from '../../api/client.ts';
import { errorMessage } from '../../api/error.ts';
import { queryKeys } from '../../api/query-keys.ts';
import type { Role } from '../../api/types.ts';
import { useSession } from '../../session/session.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import type { Secret } from '../secret-dialog.tsx';
import type { CreatedApiKey } from '../types.ts';
import { useAction } from '../use-action.ts';
import { RoleChoice } from './role-choice.tsx';

interface NewKeyDialogProps {
  username: string | undefined;
  onClose: () => void;
  onSecret: (secret: Secret) => void;
}

export function NewKeyDialog({ username: given, onClose, onSecret }: NewKeyDialogProps) {
  const { user } = useSession();
  const [username, setUsername] = useState(given ?? user.username);
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const [isRaw, setRaw] = useState(false);
  const [expires, setExpires] = useState('');
  const create = useAction<void, CreatedApiKey>({
    run: () =>
      api.post<CreatedApiKey>('/api/v1/api-keys', {
        username: username.trim(),
        name: name.trim(),
        role,
        raw_mode_enabled: isRaw,
        ...(expires && { expires_at: new Date(expires).toISOString() }),
      }),
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
      onSubmit={() => create.mutate()}
      onClose={onClose}
    >
      <TextField
        label="User"
        required
        autoComplete="off"
        value={username}
        onChange={(event) => setUsername(event.target.value)}
        error={create.error ? errorMessage(create.error) : undefined}
      />
      <TextField
        label="Name"
        required
        maxLength={100}
        autoComplete="off"
        value={name}
        onChange={(event) => setName(event.target.value)}
        hint="What the key is used for."
      />
      <RoleChoice value={role} onChange={setRole} />
      <label className="row">
        <input
          type="checkbox"
          className="checkbox"
          checked={isRaw}
          onChange={(event) => setRaw(event.target.checked)}
        />
        May request original text (RAW)
      </label>
      <TextField
        label="Expires"
        type="date"
        min={new Date(Date.now() + 24 * 60 * 60 * 1000).toISOString().slice(0, 10)}
        value={expires}
        onChange={(event) => setExpires(event.target.value)}
        hint="Leave empty for a key that never expires."
      />
    </FormDialog>
  );
}
