import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../api/client.ts';
import { sentenceOf } from '../api/error.ts';
import type { Answer, Library } from '../api/types.ts';
import { NameDialog } from './name-dialog.tsx';

export default function NewLibraryDialog({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const making = useMutation({
    mutationFn: (name: string) => api.post<Answer<Library>>('/libraries', { name }),
    onSuccess: async ({ data }) => {
      await queryClient.invalidateQueries({ queryKey: ['libraries'] });
      onClose();
      await navigate({ to: '/library/$libraryId', params: { libraryId: data.id } });
    },
  });
  return (
    <NameDialog
      title="New library"
      lead="For a subject, a project or a circle of people. You can invite others to it."
      action="Make it"
      busy={making.isPending}
      error={making.error ? sentenceOf(making.error) : undefined}
      onName={making.mutate}
      onClose={onClose}
    />
  );
}
