import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { errorMessage } from '../api/error.ts';
import { queryKeys } from '../api/query-keys.ts';
import type { Library } from '../api/types.ts';
import { NameDialog } from './name-dialog.tsx';

export function RenameDialog({ library, onClose }: { library: Library; onClose: () => void }) {
  const queryClient = useQueryClient();
  const renaming = useMutation({
    mutationFn: (name: string) => api.patch(`/libraries/${library.id}`, { name }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: queryKeys.libraries() });
      onClose();
    },
  });
  return (
    <NameDialog
      title="Rename library"
      action="Rename"
      name={library.name}
      busy={renaming.isPending}
      error={renaming.error ? errorMessage(renaming.error) : undefined}
      onName={renaming.mutate}
      onClose={onClose}
    />
  );
}
