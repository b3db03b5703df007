import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { errorMessage } from '../../api/error.ts';
import { queryKeys } from '../../api/query-keys.ts';
import type { Role } from '../../api/types.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import type { Secret } from '../secret-dialog.tsx';
import type { User, UserList } from '../types.ts';
import { useAction } from '../use-action.ts';
import { RoleChoice } from './role-choice.tsx';
import { createSignInLink } from './sign-in-link.ts';

interface NewUserDialogProps {
  onClose: () => void;
  onSecret: (secret: Secret) => void;
}

/** Creates a user, and a link for their first sign-in. */
export function NewUserDialog({ onClose, onSecret }: NewUserDialogProps) {
  const [username, setUsername] = useState('');
  const [displayName, setDisplayName] = useState('');
  const [chosenRole, setRole] = useState<Role>();
  const defaults = useQuery({
    queryKey: queryKeys.defaultRole(),
    queryFn: () => api.get<UserList>('/api/v1/users?limit=1'),
  });
  const role = chosenRole ?? defaults.data?.default_role;
  const create = useAction<void, Secret>({
    run: async () => {
      const user = await api.post<User>('/api/v1/users', {
        username: username.trim(),
        ...(role && { role }),
        ...(displayName.trim() && { display_name: displayName.trim() }),
      });
      return createSignInLink(user);
    },
    stale: [queryKeys.users()],
    quiet: true,
    onDone: (link) => {
      onClose();
      onSecret(link);
    },
  });
  return (
    <FormDialog
      title="New user"
      lead="You get a sign-in link for them, with which they choose a password."
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
        error={create.error ? errorMessage(create.error) : undefined}
      />
      <TextField
        label="Display name"
        autoComplete="off"
        value={displayName}
        onChange={(event) => setDisplayName(event.target.value)}
        hint="Leave empty to use the username."
      />
      <RoleChoice value={role} onChange={setRole} />
    </FormDialog>
  );
}
