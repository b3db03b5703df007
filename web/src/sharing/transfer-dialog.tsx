import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { errorMessage } from '../api/error.ts';
import { queryKeys } from '../api/query-keys.ts';
import type { Library, Member } from '../api/types.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
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
      showToast(`${member.display_name} is now the owner of ${library.name}`);
      onClose();
      void queryClient.invalidateQueries({ queryKey: queryKeys.libraries() });
      void queryClient.invalidateQueries({ queryKey: queryKeys.members(library.id) });
    },
    onError: (error) => void showToast(errorMessage(error)),
  });
  return (
    <ConfirmDialog
      title={`Make ${member.display_name} the owner?`}
      action="Make owner"
      danger
      busy={transferring.isPending}
      onConfirm={() => transferring.mutate()}
      onClose={onClose}
    >
      Only the owner can delete the library or transfer ownership. You stay an admin, but you cannot undo this
      yourself.
    </ConfirmDialog>
  );
}
