import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { sentenceOf } from '../../api/error.ts';
import type { Role } from '../../api/types.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import type { Secret } from '../secret-once.tsx';
import type { User, UserList } from '../types.ts';
import { useDeed } from '../use-deed.ts';
import { RoleChoice } from './role-choice.tsx';
import { makeSignInLink } from './sign-in-link.ts';

interface NewUserDialogProps {
  onClose: () => void;
  onSecret: (secret: Secret) => void;
}

/** Creates the user and a link with which they sign in for the first time. */
export function NewUserDialog({ onClose, onSecret }: NewUserDialogProps) {
  const [username, setUsername] = useState('');
  const [displayName, setDisplayName] = useState('');
  const [chosenRole, setRole] = useState<Role>();
  const defaults = useQuery({
    queryKey: ['users', 'default-role'],
    queryFn: () => api.get<UserList>('/api/v1/users?limit=1'),
  });
  const role = chosenRole ?? defaults.data?.default_role;
  const create = useDeed<void, Secret>({
    run: async () => {
      const user = await api.post<User>('/api/v1/users', {
        username: username.trim(),
        ...(role && { role }),
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
  return (
    <FormDialog
      title="New user"
      lead="They get a library of their own, and you a link with which they come in and choose a password."
      action="Create"
      busy={create.isPending}
      onSubmit={() => create.mutate()}
      onClose={onClose}
    >
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
    </FormDialog>
  );
}
