import { useNavigate } from '@tanstack/react-router';
import { api } from '../api/client.ts';
import { queryKeys } from '../api/queries.ts';
import type { Library } from '../api/types.ts';
import { FormDialog, type FormDialogProps } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { useAction } from '../ui/use-action.ts';

interface NameDialogProps<Saved> extends Pick<FormDialogProps, 'title' | 'lead' | 'action' | 'onClose'> {
  name?: string;
  save: (name: string) => Promise<Saved>;
  onSaved?: (saved: Saved) => unknown;
}

/** Asks for the name of a library, and closes when it is saved. */
function NameDialog<Saved>({ name = '', save, onSaved, ...dialog }: NameDialogProps<Saved>) {
  const saving = useAction({
    run: save,
    stale: [queryKeys.libraries()],
    onDone: (saved) => {
      dialog.onClose();
      return onSaved?.(saved);
    },
    quiet: true,
  });
  return (
    <FormDialog {...dialog} busy={saving.isPending} onSubmit={(field) => saving.mutate(field('name'))}>
      <TextField label="Name" name="name" defaultValue={name} maxLength={100} error={saving.error} required />
    </FormDialog>
  );
}

export default function NewLibraryDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  return (
    <NameDialog
      title="New library"
      lead="You can invite other people to it."
      action="Create"
      save={(name) => api.postData<Library>('/libraries', { name })}
      onSaved={({ id }) => navigate({ to: '/library/$libraryId', params: { libraryId: id } })}
      onClose={onClose}
    />
  );
}

export function RenameDialog({ library, onClose }: { library: Library; onClose: () => void }) {
  return (
    <NameDialog
      title="Rename library"
      action="Rename"
      name={library.name}
      save={(name) => api.patch(`/libraries/${library.id}`, { name })}
      onClose={onClose}
    />
  );
}
