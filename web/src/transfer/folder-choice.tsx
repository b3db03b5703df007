import type { Folder } from './parsed-import.ts';

export interface FolderChoiceProps {
  folders: Folder[];
  /** Those that stay behind, by their place in the list. */
  left: ReadonlySet<number>;
  onChange: (left: ReadonlySet<number>) => void;
}

/** Nobody goes through more; what is not listed comes along. */
const MAX_LISTED = 300;

/** Bookmarks hold more than what one wants to read: each folder can be left behind. */
export function FolderChoice({ folders, left, onChange }: FolderChoiceProps) {
  if (folders.length < 2) return null;

  function toggle(place: number) {
    const next = new Set(left);
    if (!next.delete(place)) next.add(place);
    onChange(next);
  }

  return (
    <fieldset className="transfer-folders">
      <legend>Folders to bring along</legend>
      {folders.slice(0, MAX_LISTED).map(({ name, count }, place) => (
        <label key={name} className="transfer-folder">
          <input type="checkbox" checked={!left.has(place)} onChange={() => toggle(place)} />
          <span className="grow">{name}</span>
          <span className="muted">{count.toLocaleString()}</span>
        </label>
      ))}
      {folders.length > MAX_LISTED && <p className="muted">and {folders.length - MAX_LISTED} more</p>}
    </fieldset>
  );
}
