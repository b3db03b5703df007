import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { sentenceOf } from '../api/error.ts';
import type { Library, Member } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { showToast } from '../ui/toasts.ts';

export function TransferDialog({
  member,
  library,
  onClose,
}: {
  member: Member;
  library: Library;
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const transferring = useMutation({
    mutationFn: () =>
      api.post(`/libraries/${library.id}/transfer-ownership`, { new_owner_user_id: member.user_id }),
    onSuccess: () => {
      showToast(`${member.display_name} owns ${library.name} now`);
      onClose();
      void queryClient.invalidateQueries({ queryKey: ['libraries'] });
      void queryClient.invalidateQueries({ queryKey: ['members', library.id] });
    },
    onError: (error) => void showToast(sentenceOf(error)),
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Make ${member.display_name} the owner?`}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" busy={transferring.isPending} onClick={() => transferring.mutate()}>
            Hand it over
          </Button>
        </>
      }
    >
      Only the owner can delete the library or hand it on. You stay in it as an admin, and cannot take it back
      yourself.
    </Dialog>
  );
}
