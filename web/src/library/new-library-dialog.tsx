import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../api/client.ts';
import { errorMessage } from '../api/error.ts';
import { queryKeys } from '../api/query-keys.ts';
import type { Answer, Library } from '../api/types.ts';
import { NameDialog } from './name-dialog.tsx';

export default function NewLibraryDialog({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const creating = useMutation({
    mutationFn: (name: string) => api.post<Answer<Library>>('/libraries', { name }),
    onSuccess: async ({ data }) => {
      await queryClient.invalidateQueries({ queryKey: queryKeys.libraries() });
      onClose();
      await navigate({ to: '/library/$libraryId', params: { libraryId: data.id } });
    },
  });
  return (
    <NameDialog
      title="New library"
      lead="You can invite other people to it."
      action="Create"
      busy={creating.isPending}
      error={creating.error ? errorMessage(creating.error) : undefined}
      onName={creating.mutate}
      onClose={onClose}
    />
  );
}
