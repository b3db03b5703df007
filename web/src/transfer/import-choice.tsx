import '../saving/save-dialog.css';
import { FileUp } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Form, TextAreaField } from '../ui/field.tsx';
import { useDroppedFiles } from '../ui/use-dropped-files.ts';
import type { ParseAnswer, ParseRequest } from './parse-worker.ts';
import type { ParsedImport } from './parsed-import.ts';

/** The first step of an import: choosing files or pasting text. */
export function ImportChoice({ onParsed }: { onParsed: (parsed: ParsedImport) => void }) {
  const [isReading, setReading] = useState(false);
  const [error, setError] = useState<string>();
  const reading = useRef<AbortController>(undefined);
  async function read(request: ParseRequest) {
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
  }

  useEffect(() => () => reading.current?.abort(), []);
  useDroppedFiles((files) => void read({ files }));

  function readText(text: string) {
    if (text.trim() === '') return setError('Paste at least one link, or choose a file.');
    void read({ text });
  }

  return (
    <>
      <p className="page-lead">
        Import an export of Pocket, Instapaper, Readwise, Raindrop, Omnivore, Karakeep, Linkwarden, Wallabag,
        Readeck or Hypothesis, browser bookmarks, or any text with links. Tags, favourites, notes and
        highlights come along.
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
      <Form onSubmit={(field) => readText(field('links'))}>
        <TextAreaField label="Or paste links" name="links" rows={4} placeholder="https://" />
        <div>
          <Button type="submit" busy={isReading}>
            Continue
          </Button>
        </div>
      </Form>
    </>
  );
}

/** Parses an import in a web worker, so that many links do not freeze the page. */
function parseInWorker(request: ParseRequest, signal: AbortSignal): Promise<ParsedImport> {
  const worker = new Worker(new URL('./parse-worker.ts', import.meta.url), { type: 'module' });
  return new Promise<ParsedImport>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    worker.onmessage = ({ data }: MessageEvent<ParseAnswer>) => {
      if ('parsed' in data) resolve(data.parsed);
      else reject(new Error(data.message));
    };
    worker.onerror = () => reject(new Error('The file is too large for this browser. Export it in parts.'));
    worker.postMessage(request);
  }).finally(() => worker.terminate());
}
