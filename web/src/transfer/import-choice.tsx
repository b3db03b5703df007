import '../saving/save-dialog.css';
import { FileUp } from 'lucide-react';
import { type FormEvent, useCallback, useEffect, useRef, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { TextAreaField } from '../ui/field.tsx';
import { parseInWorker } from './parse-in-worker.ts';
import type { ParseRequest } from './parse-worker.ts';
import type { ParsedImport } from './parsed-import.ts';
import { useDroppedFiles } from './use-dropped-files.ts';

/** The first step of an import: choosing files or pasting text. */
export function ImportChoice({ onParsed }: { onParsed: (parsed: ParsedImport) => void }) {
  const [isReading, setReading] = useState(false);
  const [error, setError] = useState<string>();
  const reading = useRef<AbortController>(undefined);
  const read = useCallback(
    async (request: ParseRequest) => {
      reading.current?.abort();
      const controller = new AbortController();
      reading.current = controller;
      setReading(true);
      setError(undefined);
      try {
        const parsed = await parseInWorker(request, controller.signal);
        if (parsed.urls.length === 0) setError('No links found that Nexus can save.');
        else onParsed(parsed);
      } catch (failure) {
        if (controller.signal.aborted) return;
        setError((failure as Error).message);
      }
      setReading(false);
    },
    [onParsed],
  );

  useEffect(() => () => reading.current?.abort(), []);
  useDroppedFiles(useCallback((files) => void read({ files }), [read]));

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const text = String(new FormData(event.currentTarget).get('links') ?? '');
    if (text.trim() === '') return setError('Paste at least one link, or choose a file.');
    void read({ text });
  }

  return (
    <>
      <p className="page-lead">
        Import an export of Pocket, Instapaper, Readwise Reader, Raindrop, Omnivore, Karakeep, Linkwarden,
        Wallabag or Readeck, browser bookmarks, or any text with links.
      </p>
      <label className="drop-zone transfer-drop">
        <FileUp size={28} aria-hidden />
        <strong>{isReading ? 'Reading…' : 'Drop files here, or choose files'}</strong>
        <span>HTML, CSV, JSON, text or ZIP. Nothing is imported before you confirm.</span>
        <input
          type="file"
          className="visually-hidden"
          aria-label="Files to import"
          multiple
          disabled={isReading}
          onChange={(event) => {
            const files = [...(event.target.files ?? [])];
            // Allows choosing the same file again.
            event.target.value = '';
            if (files.length > 0) void read({ files });
          }}
        />
      </label>
      {error && (
        <p className="form-error" role="alert">
          {error}
        </p>
      )}
      <form className="stack" onSubmit={submit}>
        <TextAreaField label="Or paste links" name="links" rows={4} placeholder="https://" />
        <div>
          <Button type="submit" busy={isReading}>
            Continue
          </Button>
        </div>
      </form>
    </>
  );
}
