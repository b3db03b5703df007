import type { Library, SavedSearch } from '../api/types.ts';
import { useSession } from '../session/session.ts';
import { Select } from '../ui/field.tsx';

interface LibrarySelectProps {
  label: string;
  /** Undefined for the person's own library. */
  value: string | undefined;
  libraries: readonly Library[];
  /** Offered after the libraries. */
  searches?: readonly SavedSearch[];
  onChange: (id: string | undefined) => void;
}

/** Selects the person's own library, a shared one, or a saved search. */
export function LibrarySelect({ label, value, libraries, searches = [], onChange }: LibrarySelectProps) {
  const { default_library_id } = useSession();
  return (
    <Select
      label={label}
      value={value ?? default_library_id}
      onChange={(id) => onChange(id === default_library_id ? undefined : id)}
      options={[
        { value: default_library_id, label: 'My library' },
        ...libraries.map(({ id, name }) => ({ value: id, label: name })),
        ...searches.map(({ id, name }) => ({ value: id, label: `Saved search: ${name}` })),
      ]}
    />
  );
}
