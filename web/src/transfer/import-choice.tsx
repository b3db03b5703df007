import '../saving/save-dialog.css';
import { FileUp } from 'lucide-react';
import { type FormEvent, useCallback, useEffect, useRef, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { TextAreaField } from '../ui/field.tsx';
import type { ParsedImport } from './parsed-import.ts';
import { parseInWorker } from './parse-in-worker.ts';
import type { ParseRequest } from './parse-worker.ts';
import { useDroppedFiles } from './use-dropped-files.ts';

/** First step: a file, several, or a text. */
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
        if (parsed.urls.length === 0) setError('None of what is in there is a link that Nexus can save.');
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
    if (text.trim() === '') return setError('Paste at least one address, or choose a file.');
    void read({ text });
  }

  return (
    <>
      <p className="page-lead">
        Bring along what you saved elsewhere: an export of Pocket, Instapaper, Readwise Reader, Raindrop,
        Omnivore, Karakeep, Linkwarden, Wallabag or Readeck, the bookmarks of a browser, or any text with
        links.
      </p>
      <label className="drop-zone transfer-drop">
        <FileUp size={28} aria-hidden />
        <strong>{isReading ? 'Reading…' : 'Drop files here, or choose them'}</strong>
        <span>
          HTML, CSV, JSON, text, or the ZIP that they came in. Nothing is sent before you have seen what is in
          it.
        </span>
        <input
          type="file"
          className="visually-hidden"
          aria-label="Files to import"
          multiple
          disabled={isReading}
          onChange={(event) => {
            const files = [...(event.target.files ?? [])];
            // The same file may be chosen again, after it was mended.
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
            Look through them
          </Button>
        </div>
      </form>
    </>
  );
}
