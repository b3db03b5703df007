import type { Folder } from './parsed-import.ts';

export interface FolderChoiceProps {
  folders: Folder[];
  /** The indexes of the folders that are not imported. */
  excluded: ReadonlySet<number>;
  onChange: (excluded: ReadonlySet<number>) => void;
}

/** Folders beyond this number are imported without being listed. */
const MAX_LISTED = 300;

/** Chooses the folders to import. */
export function FolderChoice({ folders, excluded, onChange }: FolderChoiceProps) {
  if (folders.length < 2) return null;

  function toggle(index: number) {
    const next = new Set(excluded);
    if (!next.delete(index)) next.add(index);
    onChange(next);
  }

  return (
    <fieldset className="transfer-folders">
      <legend>Folders to import</legend>
      {folders.slice(0, MAX_LISTED).map(({ name, count }, index) => (
        <label key={name} className="transfer-folder">
          <input type="checkbox" checked={!excluded.has(index)} onChange={() => toggle(index)} />
          <span className="grow">{name}</span>
          <span className="muted">{count.toLocaleString()}</span>
        </label>
      ))}
      {folders.length > MAX_LISTED && <p className="muted">and {folders.length - MAX_LISTED} more</p>}
    </fieldset>
  );
}
