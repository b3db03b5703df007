import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { api } from '../api/client.ts';
import type { Session } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { FormError } from './card-page.tsx';
import { fetchSession } from './session.ts';

/** The first step for a new person: their name, username and password. */
export function ProfileForm({ session, onDone }: { session: Session; onDone: (session: Session) => void }) {
  const { display_name, username } = session.user;
  const saving = useMutation({
    mutationFn: async (form: FormData) => {
      const field = (name: string) => String(form.get(name) ?? '');
      const chosen = field('username').trim();
      await api.patch('/me', {
        display_name: field('display_name'),
        ...(chosen !== username && { username: chosen }),
      });
      await api.put('/me/password', { new_password: field('password') });
      return fetchSession();
    },
    onSuccess: onDone,
  });
  return (
    <form
      className="card-page-form"
      onSubmit={(event: FormEvent<HTMLFormElement>) => {
        event.preventDefault();
        saving.mutate(new FormData(event.currentTarget));
      }}
    >
      <h2>Set up your account</h2>
      <TextField
        label="Your name"
        name="display_name"
        autoComplete="name"
        defaultValue={display_name === username ? '' : display_name}
        hint="Shown to people you share with."
        maxLength={200}
        required
        autoFocus
      />
      <TextField
        label="Username"
        name="username"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        defaultValue={username}
        hint="You sign in with it, and others use it to invite you."
        required
      />
      <TextField
        label="Password"
        name="password"
        type="password"
        autoComplete="new-password"
        minLength={10}
        hint="At least 10 characters."
        required
      />
      <FormError error={saving.error} />
      <Button look="primary" type="submit" busy={saving.isPending}>
        Continue
      </Button>
    </form>
  );
}
