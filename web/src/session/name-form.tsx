import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { api } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { showToast } from '../ui/toasts.ts';
import { FormError } from './card-page.tsx';
import { sessionQuery, useSession } from './session.ts';

export function NameForm() {
  const { user } = useSession();
  const queryClient = useQueryClient();
  const saving = useMutation({
    mutationFn: (form: FormData) => {
      const username = String(form.get('username') ?? '').trim();
      return api.patch('/me', {
        display_name: String(form.get('display_name') ?? ''),
        // Changing the username may not be allowed, so it is sent only when it changed.
        ...(username !== user.username && { username }),
      });
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
      showToast('Saved');
    },
  });
  return (
    <form
      className="stack"
      onSubmit={(event: FormEvent<HTMLFormElement>) => {
        event.preventDefault();
        saving.mutate(new FormData(event.currentTarget));
      }}
    >
      <TextField
        label="Name"
        name="display_name"
        autoComplete="name"
        defaultValue={user.display_name}
        maxLength={200}
        required
      />
      <TextField
        label="Username"
        name="username"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        defaultValue={user.username}
        required
      />
      <FormError error={saving.error} />
      <div>
        <Button type="submit" busy={saving.isPending}>
          Save
        </Button>
      </div>
    </form>
  );
}
