import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { LibrarySelect } from '../library/library-select.tsx';
import { librariesQuery, writableLibrariesQuery } from '../library/queries.ts';
import { mayAddTo } from '../library/roles.ts';
import { FormError } from '../session/card-page.tsx';
import { Button } from '../ui/button.tsx';
import { plural } from '../ui/numbers.ts';
import { tagOfFolder, withTag } from './details.ts';
import { newImportName, submitImport } from './imports.ts';
import type { Folder, Kept, ParsedImport } from './parsed-import.ts';

interface ImportPreviewProps {
  parsed: ParsedImport;
  /** The library that the person came from. */
  libraryId: string | undefined;
  onBack: () => void;
}

/** The second step of an import: its content, and the library to import to. */
export function ImportPreview({ parsed, libraryId, onBack }: ImportPreviewProps) {
  const navigate = useNavigate();
  const libraries = useQuery(librariesQuery);
  const { data: writable = [] } = useQuery(writableLibrariesQuery);
  const wanted = libraries.data?.find(({ id }) => id === libraryId);
  const [targetId, setTargetId] = useState(libraryId);
  const target = writable.find(({ id }) => id === targetId);
  const [excluded, setExcluded] = useState<ReadonlySet<number>>(new Set());
  const [name, setName] = useState(newImportName);
  const [sent, setSent] = useState<number>();
  const [error, setError] = useState<unknown>();
  const [foldersAreTags, setFoldersAreTags] = useState(true);
  const hasOwnFolders = parsed.folders.some(({ isOwn }) => isOwn);
  const included = parsed.folderOf.reduce((count, folder) => count + (excluded.has(folder) ? 0 : 1), 0);

  function chosenLinks() {
    const folderTags = parsed.folders.map(({ name, isOwn }) =>
      isOwn && foldersAreTags ? tagOfFolder(name) : undefined,
    );
    return parsed.urls.flatMap((url, index) => {
      const folder = parsed.folderOf[index] ?? -1;
      if (excluded.has(folder)) return [];
      const details = withTag(parsed.details[index] ?? null, folderTags[folder]);
      return { url, savedAt: parsed.savedAt[index] ?? 0, details };
    });
  }

  /** A changed choice is another import, with another idempotency key. */
  function choose(change: () => void) {
    change();
    setName(newImportName());
  }

  async function submit() {
    setError(undefined);
    setSent(0);
    try {
      const ids = await submitImport(name, chosenLinks(), target?.id, setSent);
      const search = { jobs: ids.join('_'), total: included, ...(target && { library: target.id }) };
      await navigate({ to: '/import', search });
    } catch (failure) {
      setError(failure);
      setSent(undefined);
    }
  }

  return (
    <>
      <p className="page-lead" role="status">
        {parsed.formats.join(', ')}: {plural(parsed.urls.length, 'link')}
      </p>
      <ul className="transfer-facts">
        {parsed.duplicates > 0 && <li>{plural(parsed.duplicates, 'duplicate')} merged</li>}
        {keptFacts(parsed.kept).map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
        {parsed.refusedCount > 0 && (
          <li>
            <details>
              <summary>
                {plural(parsed.refusedCount, 'entry skipped (not a link)', 'entries skipped (not links)')}
              </summary>
              <ul className="transfer-refused">
                {parsed.refused.map(({ text, reason }, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
                  <li key={index}>
                    <code className="mono">{text || '(empty)'}</code> {reason}
                  </li>
                ))}
              </ul>
            </details>
          </li>
        )}
      </ul>
      <FolderChoice
        folders={parsed.folders}
        excluded={excluded}
        onChange={(next) => choose(() => setExcluded(next))}
      />
      {hasOwnFolders && (
        <label className="transfer-folder">
          <input
            type="checkbox"
            checked={foldersAreTags}
            onChange={(event) => {
              const { checked } = event.target;
              choose(() => setFoldersAreTags(checked));
            }}
          />
          <span>Keep folders as tags</span>
        </label>
      )}
      {wanted && !mayAddTo(wanted) && (
        <p className="form-error" role="status">
          Only contributors and editors can add items to {wanted.name}. Choose another library.
        </p>
      )}
      <div className="transfer-actions">
        <span aria-hidden>Import to</span>
        <LibrarySelect
          label="Import to"
          value={target?.id}
          libraries={writable}
          onChange={(next) => choose(() => setTargetId(next))}
        />
        <span className="grow" />
        <Button onClick={onBack} disabled={sent !== undefined}>
          Back
        </Button>
        <Button
          look="primary"
          onClick={() => void submit()}
          busy={sent !== undefined}
          disabled={included === 0}
        >
          {sent ? `Sent ${sent.toLocaleString()}…` : `Import ${plural(included, 'link')}`}
        </Button>
      </div>
      <FormError error={error} />
    </>
  );
}

/** The details that come along with the links. */
function keptFacts(kept: Kept): string[] {
  const facts: [number, string, string][] = [
    [kept.highlights, 'highlight', 'highlights'],
    [kept.notes, 'note', 'notes'],
    [kept.tags, 'tag', 'tags'],
    [kept.favourites, 'favourite', 'favourites'],
    [kept.archived, 'archived item', 'archived items'],
    [kept.finished, 'finished item', 'finished items'],
  ];
  return facts.filter(([count]) => count > 0).map(([count, one, many]) => plural(count, one, many));
}

interface FolderChoiceProps {
  folders: Folder[];
  /** The indexes of the folders that are not imported. */
  excluded: ReadonlySet<number>;
  onChange: (excluded: ReadonlySet<number>) => void;
}

/** Folders beyond this number are imported without being listed. */
const MAX_LISTED = 300;

function FolderChoice({ folders, excluded, onChange }: FolderChoiceProps) {
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
