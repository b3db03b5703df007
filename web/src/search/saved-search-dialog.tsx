import { ApiError } from '../api/client.ts';
import { queryKeys } from '../api/queries.ts';
import type { SavedSearch } from '../api/types.ts';
import { FormDialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { useAction } from '../ui/use-action.ts';

type Given = Pick<SavedSearch, 'name' | 'query'>;

interface SavedSearchDialogProps {
  title: string;
  given: Given;
  run: (search: Given) => Promise<SavedSearch>;
  onClose: () => void;
}

/** Asks for the name and the query of a saved search. A mistake in the query is shown at its field. */
export function SavedSearchDialog({ title, given, run, onClose }: SavedSearchDialogProps) {
  const saving = useAction({ run, stale: [queryKeys.savedSearches()], onDone: onClose, quiet: true });
  const { error } = saving;
  const isMistake = error instanceof ApiError && error.code === 'E_INVALID_QUERY';
  return (
    <FormDialog
      title={title}
      action="Save"
      busy={saving.isPending}
      onSubmit={(field) => saving.mutate({ name: field('name'), query: field('query') })}
      onClose={onClose}
    >
      <TextField
        label="Name"
        name="name"
        dir="auto"
        defaultValue={given.name}
        maxLength={100}
        error={isMistake ? undefined : error}
        required
      />
      <TextField
        label="Search"
        name="query"
        dir="auto"
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        defaultValue={given.query}
        maxLength={1000}
        error={isMistake ? error : undefined}
        required
      />
    </FormDialog>
  );
}
