import { type FormEvent, useId, useState } from 'react';
import { api } from '../../api/client.ts';
import { sentenceOf } from '../../api/error.ts';
import type { Role } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import type { Secret } from '../secret-once.tsx';
import type { User } from '../types.ts';
import { useDeed } from '../use-deed.ts';
import { RoleChoice } from './role-choice.tsx';
import { makeSignInLink } from './sign-in-link.ts';

interface NewUserDialogProps {
  onClose: () => void;
  onSecret: (secret: Secret) => void;
}

/** Makes the user and a link with which they come in. */
export function NewUserDialog({ onClose, onSecret }: NewUserDialogProps) {
  const form = useId();
  const [username, setUsername] = useState('');
  const [displayName, setDisplayName] = useState('');
  const [role, setRole] = useState<Role>('researcher');
  const create = useDeed<void, Secret>({
    run: async () => {
      const user = await api.post<User>('/api/v1/users', {
        username: username.trim(),
        role,
        ...(displayName.trim() && { display_name: displayName.trim() }),
      });
      return makeSignInLink(user);
    },
    stale: [['users']],
    quiet: true,
    onDone: (link) => {
      onClose();
      onSecret(link);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="New user"
      lead="They get a library of their own, and you a link with which they come in and choose a password."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form={form} busy={create.isPending}>
            Create
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="stack">
        <TextField
          label="Username"
          required
          autoComplete="off"
          value={username}
          onChange={(event) => setUsername(event.target.value)}
          error={create.error ? sentenceOf(create.error) : undefined}
        />
        <TextField
          label="Name to show"
          autoComplete="off"
          value={displayName}
          onChange={(event) => setDisplayName(event.target.value)}
          hint="Left empty, it is the username."
        />
        <RoleChoice value={role} onChange={setRole} />
      </form>
    </Dialog>
  );
}
