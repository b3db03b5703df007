import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../api/client.ts';
import { errorMessage } from '../api/error.ts';
import { queryKeys } from '../api/query-keys.ts';
import type { Library, LibraryRole } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import { Select } from '../ui/field.tsx';
import { showToast } from '../ui/toasts.ts';
import { PersonField } from './person-field.tsx';
import { ROLE_OPTIONS } from './roles.ts';

export function InviteForm({ library }: { library: Library }) {
  const queryClient = useQueryClient();
  const [username, setUsername] = useState('');
  const [role, setRole] = useState<LibraryRole>('member');
  const inviting = useMutation({
    mutationFn: () =>
      api.post(`/libraries/${library.id}/invites`, { invitee_username: username.trim(), role }),
    onSuccess: () => {
      showToast(`Invited ${username.trim()} to ${library.name}`);
      setUsername('');
      void queryClient.invalidateQueries({ queryKey: queryKeys.invitations(library.id) });
    },
  });
  return (
    <form
      className="invite-form"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        inviting.mutate();
      }}
    >
      <PersonField
        label="Invite by username"
        value={username}
        onChange={(value) => {
          inviting.reset();
          setUsername(value);
        }}
        error={inviting.error ? errorMessage(inviting.error) : undefined}
      />
      <Select label="Role" value={role} options={ROLE_OPTIONS} onChange={setRole} />
      <Button look="primary" type="submit" busy={inviting.isPending} disabled={username.trim() === ''}>
        Invite
      </Button>
    </form>
  );
}
