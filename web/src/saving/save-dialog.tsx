import './save-dialog.css';
import { useQuery } from '@tanstack/react-query';
import { useRouterState } from '@tanstack/react-router';
import { FileUp } from 'lucide-react';
import { useState } from 'react';
import { LibrarySelect } from '../library/library-select.tsx';
import { writableLibrariesQuery } from '../library/queries.ts';
import { TagInput } from '../mine/tag-input.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Form, TextAreaField } from '../ui/field.tsx';
import { useDroppedFiles } from '../ui/use-dropped-files.ts';
import { findLinks } from './links.ts';
import { saveFile, saveLink } from './saves.ts';

export default function SaveDialog({ onClose }: { onClose: () => void }) {
  const { data: writable = [] } = useQuery(writableLibrariesQuery);
  const openLibraryId = useRouterState({
    select: ({ location }) => /^\/library\/([^/]+)/.exec(location.pathname)?.[1],
  });
  const [target, setTarget] = useState(openLibraryId);
  const [text, setText] = useState('');
  const [tags, setTags] = useState<string[]>([]);
  const [error, setError] = useState<string>();
  const links = findLinks(text);
  const libraryId = writable.some(({ id }) => id === target) ? target : undefined;

  function submit() {
    if (links.length === 0) return setError('Enter at least one link, such as https://example.com/article.');
    for (const link of links) void saveLink(link, libraryId, tags);
    onClose();
  }

  function takeFiles(files: Iterable<File>) {
    for (const file of files) void saveFile(file, libraryId, tags);
    onClose();
  }
  useDroppedFiles(takeFiles);

  return (
    <Dialog
      onClose={onClose}
      title="Save"
      actions={
        <>
          {writable.length > 0 && (
            <LibrarySelect label="Save to" value={libraryId} libraries={writable} onChange={setTarget} />
          )}
          <span className="grow" />
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" onClick={submit}>
            {links.length > 1 ? `Save ${links.length} links` : 'Save'}
          </Button>
        </>
      }
    >
      <Form onSubmit={submit}>
        <TextAreaField
          label="Links"
          hint="One or more links to articles, PDFs or YouTube videos."
          rows={3}
          placeholder="https://"
          value={text}
          error={error}
          onChange={(event) => {
            setText(event.target.value);
            setError(undefined);
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey) return;
            event.preventDefault();
            submit();
          }}
        />
        <TagInput label="Tags" tags={tags} onChange={setTags} onSubmit={submit} />
        <label className="drop-zone">
          <FileUp size={22} aria-hidden />
          <span>Drop PDF or EPUB files anywhere, or choose files</span>
          <input
            type="file"
            className="visually-hidden"
            accept=".pdf,.epub,application/pdf,application/epub+zip"
            multiple
            onChange={(event) => takeFiles(event.target.files ?? [])}
          />
        </label>
      </Form>
    </Dialog>
  );
}
