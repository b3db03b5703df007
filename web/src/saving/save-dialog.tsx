import './save-dialog.css';
import { useQuery } from '@tanstack/react-query';
import { useRouterState } from '@tanstack/react-router';
import { FileUp } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, useState } from 'react';
import { librariesQuery } from '../library/queries.ts';
import { useSession } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Select, TextAreaField } from '../ui/field.tsx';
import { findLinks } from './links.ts';
import { saveFile, saveLink } from './saves.ts';

/** One box for everything: a link, several links, or files. */
export default function SaveDialog({ onClose }: { onClose: () => void }) {
  const { default_library_id } = useSession();
  const libraries = useQuery(librariesQuery);
  const here = useRouterState({
    select: ({ location }) => /^\/library\/([^/]+)/.exec(location.pathname)?.[1],
  });
  const mayAddTo = libraries.data?.filter(({ role, is_default }) => role === 'admin' && !is_default) ?? [];
  const [target, setTarget] = useState(here ?? default_library_id);
  const [text, setText] = useState('');
  const [error, setError] = useState<string>();
  const links = findLinks(text);
  const into = mayAddTo.some(({ id }) => id === target) ? target : undefined;

  function submit(event?: FormEvent) {
    event?.preventDefault();
    if (links.length === 0)
      return setError('Paste at least one address, such as https://example.com/article.');
    for (const link of links) void saveLink(link, into);
    onClose();
  }

  function takeFiles(files: FileList | null) {
    for (const file of files ?? []) void saveFile(file, into);
    onClose();
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title="Save"
      actions={
        <>
          {mayAddTo.length > 0 && (
            <Select
              label="Save into"
              value={into ?? default_library_id}
              onChange={setTarget}
              options={[
                { value: default_library_id, label: 'My library' },
                ...mayAddTo.map(({ id, name }) => ({ value: id, label: name })),
              ]}
            />
          )}
          <span className="grow" />
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" onClick={() => submit()}>
            {links.length > 1 ? `Save ${links.length} links` : 'Save'}
          </Button>
        </>
      }
    >
      <form className="stack" onSubmit={submit}>
        <TextAreaField
          label="Links"
          hint="One or several. Articles, PDFs and YouTube videos."
          rows={3}
          placeholder="https://"
          value={text}
          error={error}
          onChange={(event) => {
            setText(event.target.value);
            setError(undefined);
          }}
          onKeyDown={(event: KeyboardEvent) => {
            if (event.key === 'Enter' && !event.shiftKey) submit(event as unknown as FormEvent);
          }}
        />
        <label className="drop-zone">
          <FileUp size={22} aria-hidden />
          <span>Drop PDFs or EPUBs anywhere, or choose files</span>
          <input
            type="file"
            className="visually-hidden"
            accept=".pdf,.epub,application/pdf,application/epub+zip"
            multiple
            onChange={(event) => takeFiles(event.target.files)}
          />
        </label>
      </form>
    </Dialog>
  );
}
