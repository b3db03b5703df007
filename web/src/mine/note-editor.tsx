import './note.css';
import { PenLine } from 'lucide-react';
import { useEffect } from 'react';
import type { Media } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import { TextAreaField } from '../ui/field.tsx';
import { Markdown } from '../ui/markdown.tsx';
import { useNote } from './use-note.ts';

const LONGEST_NOTE = 20_000;

interface NoteEditorProps {
  media: Media;
  /** Whether an empty note is edited at once. A draft always is. */
  startsEditing?: boolean;
}

/** The person's note of a media. It is saved when they leave the field, and with Ctrl Enter. */
export function NoteEditor({ media, startsEditing = false }: NoteEditorProps) {
  const note = useNote(media);
  const { edit } = note;
  const isEmpty = !note.note;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it opens
  useEffect(() => {
    if ((startsEditing && isEmpty) || note.hasDraft()) void edit();
  }, []);
  return (
    <div className="note-editor">
      {note.isEditing ? (
        <TextAreaField
          label="Your note"
          hint="Markdown. Only you see it."
          className="note-field"
          rows={5}
          dir="auto"
          autoFocus
          maxLength={LONGEST_NOTE}
          value={note.draft}
          readOnly={note.status === 'saving'}
          error={note.error}
          onChange={(event) => note.type(event.target.value)}
          onBlur={() => void note.save()}
          onKeyDown={(event) => {
            const isDone =
              event.key === 'Escape' || (event.key === 'Enter' && (event.ctrlKey || event.metaKey));
            if (!isDone) return;
            event.preventDefault();
            event.stopPropagation();
            void note.save();
          }}
        />
      ) : (
        <>
          {note.note && <Markdown text={note.note} />}
          {note.error && (
            <p className="field-error" role="alert">
              {note.error}
            </p>
          )}
          <Button size="small" look="ghost" icon={PenLine} className="note-edit" onClick={() => void edit()}>
            {isEmpty ? 'Add note' : 'Edit note'}
          </Button>
        </>
      )}
      {note.other !== undefined && (
        <div className="note-conflict" role="alert">
          <p>
            {note.other === ''
              ? 'The note was deleted on another device. Yours is not saved yet.'
              : 'The note was changed on another device. Yours is not saved yet. The other one is:'}
          </p>
          {note.other !== '' && <Markdown text={note.other} />}
          <span className="row">
            <Button size="small" look="primary" onClick={() => void note.keepMine()}>
              Save mine
            </Button>
            <Button size="small" onClick={note.takeOther}>
              {note.other === '' ? 'Discard mine' : 'Use the other'}
            </Button>
          </span>
        </div>
      )}
      <span className="note-status" role="status">
        {note.status === 'saving' && 'Saving…'}
        {note.status === 'saved' && 'Saved'}
      </span>
    </div>
  );
}
