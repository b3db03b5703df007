import { type FormEvent, useState } from 'react';
import { findLinks } from '../saving/links.ts';
import { saveLink } from '../saving/saves.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';

/** The second step for a new person: saving a first link. */
export function FirstSave({ onDone }: { onDone: () => void }) {
  const [error, setError] = useState<string>();
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const [link] = findLinks(String(new FormData(event.currentTarget).get('link') ?? ''));
    if (!link) return setError('Enter a link, such as https://example.com/article.');
    void saveLink(link);
    onDone();
  }
  return (
    <form className="card-page-form" onSubmit={submit} noValidate>
      <h2>Save your first link</h2>
      <p className="muted">
        Paste a link to an article, a PDF or a YouTube video. Nexus saves a readable copy for you.
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
        Skip
      </Button>
    </form>
  );
}
