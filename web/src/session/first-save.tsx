import { type FormEvent, useState } from 'react';
import { findLinks } from '../saving/links.ts';
import { saveLink } from '../saving/saves.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';

/** Second step: something to read. */
export function FirstSave({ onDone }: { onDone: () => void }) {
  const [error, setError] = useState<string>();
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const [link] = findLinks(String(new FormData(event.currentTarget).get('link') ?? ''));
    if (!link) return setError('Paste the address of a page, such as https://example.com/article.');
    void saveLink(link);
    onDone();
  }
  return (
    <form className="entrance-form" onSubmit={submit} noValidate>
      <h2>Save something to read</h2>
      <p className="muted">
        Paste a link to an article, a PDF or a video. Nexus fetches it and keeps a clean copy for you.
      </p>
      <TextField
        label="Link"
        name="link"
        type="url"
        inputMode="url"
        placeholder="https://"
        error={error}
        autoFocus
      />
      <Button look="primary" type="submit">
        Save and open my library
      </Button>
      <Button look="ghost" size="small" onClick={onDone}>
        Not now
      </Button>
    </form>
  );
}
