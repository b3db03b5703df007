import { useState } from 'react';
import { api } from '../../api/client.ts';
import { sentenceOf } from '../../api/error.ts';
import type { Role } from '../../api/types.ts';
import { useSession } from '../../session/session.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import type { Secret } from '../secret-once.tsx';
import type { CreatedApiKey } from '../types.ts';
import { useDeed } from '../use-deed.ts';
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
  const create = useDeed<void, CreatedApiKey>({
    run: () =>
      api.post<CreatedApiKey>('/api/v1/api-keys', {
        username: username.trim(),
        name: name.trim(),
        role,
        raw_mode_enabled: isRaw,
        ...(expires && { expires_at: new Date(expires).toISOString() }),
      }),
    stale: [['api-keys']],
    quiet: true,
    onDone: ({ key, owner }) => {
      onClose();
      onSecret({
        title: `A key for ${owner}`,
        what: 'key',
        secret: key,
        hint: 'Send it as X-Nexus-API-Key, or as Authorization: Bearer. Nexus keeps its fingerprint only.',
      });
    },
  });
  return (
    <FormDialog
      title="New key"
      lead="For a program that acts as this user. It may never do more than they may."
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
        error={create.error ? sentenceOf(create.error) : undefined}
      />
      <TextField
        label="Name"
        required
        maxLength={100}
        autoComplete="off"
        value={name}
        onChange={(event) => setName(event.target.value)}
        hint="What it is for, so that it can be told from others."
      />
      <RoleChoice value={role} onChange={setRole} />
      <label className="row">
        <input
          type="checkbox"
          className="checkbox"
          checked={isRaw}
          onChange={(event) => setRaw(event.target.checked)}
        />
        May ask for text as it is (RAW)
      </label>
      <TextField
        label="Expires"
        type="date"
        min={new Date(Date.now() + 24 * 60 * 60 * 1000).toISOString().slice(0, 10)}
        value={expires}
        onChange={(event) => setExpires(event.target.value)}
        hint="Left empty, it does not."
      />
    </FormDialog>
  );
}
