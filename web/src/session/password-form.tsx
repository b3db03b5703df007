import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { api } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { showToast } from '../ui/toasts.ts';
import { FormError } from './card-page.tsx';
import { sessionQuery, useSession } from './session.ts';

export function PasswordForm() {
  const { needs_current_password, can_set_password } = useSession();
  const queryClient = useQueryClient();
  const saving = useMutation({
    mutationFn: (form: FormData) =>
      api.put('/me/password', {
        new_password: String(form.get('new_password') ?? ''),
        ...(needs_current_password && { current_password: String(form.get('current_password') ?? '') }),
      }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
      showToast('Password changed. Other devices are signed out.');
    },
  });
  if (!can_set_password) {
    return <p>You signed in with an API key. To set a password, ask an admin for a sign-in link.</p>;
  }
  return (
    <form
      className="stack"
      onSubmit={(event: FormEvent<HTMLFormElement>) => {
        event.preventDefault();
        const form = event.currentTarget;
        saving.mutate(new FormData(form), { onSuccess: () => form.reset() });
      }}
    >
      {needs_current_password && (
        <TextField
          label="Current password"
          name="current_password"
          type="password"
          autoComplete="current-password"
          required
        />
      )}
      <TextField
        label="New password"
        name="new_password"
        type="password"
        autoComplete="new-password"
        minLength={10}
        hint="At least 10 characters."
        required
      />
      <FormError error={saving.error} />
      <div>
        <Button type="submit" busy={saving.isPending}>
          Change password
        </Button>
      </div>
    </form>
  );
}
