import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { getQuery, queryKeys } from '../../api/queries.ts';
import type { Role } from '../../api/types.ts';
import { exactTime } from '../../ui/dates.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import type { Secret } from '../../ui/secret-dialog.tsx';
import { useAction } from '../../ui/use-action.ts';
import type { SignInLink, User, UserList } from '../types.ts';
import { RoleChoice } from './roles.tsx';

interface NewUserDialogProps {
  onClose: () => void;
  onSecret: (secret: Secret) => void;
}

/** Creates a user, and a link for their first sign-in. */
export function NewUserDialog({ onClose, onSecret }: NewUserDialogProps) {
  const [chosenRole, setRole] = useState<Role>();
  const defaults = useQuery(getQuery<UserList>(queryKeys.defaultRole(), '/users', { limit: 1 }));
  const role = chosenRole ?? defaults.data?.default_role;
  const create = useAction<object, Secret>({
    run: async (user) => createSignInLink(await api.postData<User>('/users', { ...user, role })),
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
      onSubmit={(field) =>
        create.mutate({
          username: field('username').trim(),
          ...(field('display_name').trim() && { display_name: field('display_name').trim() }),
        })
      }
      onClose={onClose}
    >
      <TextField label="Username" name="username" required autoComplete="off" error={create.error} />
      <TextField
        label="Display name"
        name="display_name"
        autoComplete="off"
        hint="Leave empty to use the username."
      />
      <RoleChoice value={role} onChange={setRole} />
    </FormDialog>
  );
}

/** Creates a link that signs a user in once. */
export async function createSignInLink({ id, username }: User): Promise<Secret> {
  const { url, expires_at } = await api.postData<SignInLink>(`/users/${id}/sign-in-link`);
  return {
    title: `Sign-in link for ${username}`,
    noun: 'link',
    secret: new URL(url, window.location.origin).href,
    hint: `It works once, until ${exactTime(expires_at)}. Send it over a channel that you trust.`,
  };
}
