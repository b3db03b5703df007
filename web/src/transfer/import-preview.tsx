import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { librariesQuery } from '../library/queries.ts';
import { FormError } from '../session/card-page.tsx';
import { useSession } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Select } from '../ui/field.tsx';
import { FolderChoice } from './folder-choice.tsx';
import { newImportName, submitImport } from './imports.ts';
import type { ParsedImport } from './parsed-import.ts';

export interface ImportPreviewProps {
  parsed: ParsedImport;
  /** Where whoever came from a library would like it to go. */
  libraryId: string | undefined;
  onBack: () => void;
}

const number = (value: number, one: string, many = `${one}s`) =>
  `${value.toLocaleString()} ${value === 1 ? one : many}`;

/** Second step: what is in it, where it goes, and nothing has happened yet. */
export function ImportPreview({ parsed, libraryId, onBack }: ImportPreviewProps) {
  const { default_library_id } = useSession();
  const navigate = useNavigate();
  const libraries = useQuery(librariesQuery);
  const mayAddTo = libraries.data?.filter(({ role, is_default }) => role === 'admin' && !is_default) ?? [];
  const wanted = libraries.data?.find(({ id }) => id === libraryId);
  const [target, setTarget] = useState(libraryId ?? default_library_id);
  const into = mayAddTo.find(({ id }) => id === target);
  const [left, setLeft] = useState<ReadonlySet<number>>(new Set());
  const [name, setName] = useState(newImportName);
  const [sent, setSent] = useState<number>();
  const [error, setError] = useState<unknown>();
  const links = parsed.urls
    .map((url, index) => ({ url, savedAt: parsed.savedAt[index] ?? 0, folder: parsed.folderOf[index] ?? -1 }))
    .filter(({ folder }) => !left.has(folder));

  /** Another choice is another import: what was handed over of the one before must not stand for it. */
  function choose(change: () => void) {
    change();
    setName(newImportName());
  }

  async function submit() {
    setError(undefined);
    setSent(0);
    try {
      const ids = await submitImport(name, links, into?.id, setSent);
      const search = { jobs: ids.join('_'), total: links.length, ...(into && { library: into.id }) };
      await navigate({ to: '/import', search });
    } catch (failure) {
      setError(failure);
      setSent(undefined);
    }
  }

  return (
    <>
      <p className="page-lead" role="status">
        {parsed.formats.join(', ')}: {number(parsed.urls.length, 'link')}
      </p>
      <ul className="transfer-facts">
        {parsed.duplicates > 0 && <li>{number(parsed.duplicates, 'duplicate')} in there, taken once</li>}
        {parsed.tagCount > 0 && (
          <li>{number(parsed.tagCount, 'tag')}, which Nexus does not have and leaves behind</li>
        )}
        {parsed.refusedCount > 0 && (
          <li>
            <details>
              <summary>{number(parsed.refusedCount, 'entry is no link', 'entries are no links')}</summary>
              <ul className="transfer-refused">
                {parsed.refused.map(({ text, reason }, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
                  <li key={index}>
                    <code className="mono">{text || '(nothing)'}</code> {reason}
                  </li>
                ))}
              </ul>
            </details>
          </li>
        )}
      </ul>
      <FolderChoice folders={parsed.folders} left={left} onChange={(next) => choose(() => setLeft(next))} />
      {wanted && wanted.role !== 'admin' && (
        <p className="form-error" role="status">
          Only an admin of {wanted.name} may put things into it, and you are a member. Choose another library.
        </p>
      )}
      <div className="transfer-actions">
        <span aria-hidden>Into</span>
        <Select
          label="Import into"
          value={into?.id ?? default_library_id}
          onChange={(next) => choose(() => setTarget(next))}
          options={[
            { value: default_library_id, label: 'My library' },
            ...mayAddTo.map(({ id, name: label }) => ({ value: id, label })),
          ]}
        />
        <span className="grow" />
        <Button onClick={onBack} disabled={sent !== undefined}>
          Choose something else
        </Button>
        <Button
          look="primary"
          onClick={() => void submit()}
          busy={sent !== undefined}
          disabled={links.length === 0}
        >
          {sent ? `Handed over ${sent.toLocaleString()}` : `Import ${number(links.length, 'link')}`}
        </Button>
      </div>
      <FormError error={error} />
    </>
  );
}
