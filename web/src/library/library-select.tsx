import type { Library } from '../api/types.ts';
import { useSession } from '../session/session.ts';
import { Select } from '../ui/field.tsx';

interface LibrarySelectProps {
  label: string;
  /** Undefined for the person's own library. */
  value: string | undefined;
  libraries: readonly Library[];
  onChange: (libraryId: string | undefined) => void;
}

/** Selects the person's own library or a shared one. */
export function LibrarySelect({ label, value, libraries, onChange }: LibrarySelectProps) {
  const { default_library_id } = useSession();
  return (
    <Select
      label={label}
      value={value ?? default_library_id}
      onChange={(id) => onChange(id === default_library_id ? undefined : id)}
      options={[
        { value: default_library_id, label: 'My library' },
        ...libraries.map(({ id, name }) => ({ value: id, label: name })),
      ]}
    />
  );
}
