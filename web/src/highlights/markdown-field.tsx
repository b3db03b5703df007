import { type KeyboardEvent, useEffect, useRef } from 'react';
import type { Person } from '../api/types.ts';
import { useDraftedText } from '../drafts/use-draft.ts';
import { Button } from '../ui/button.tsx';
import { Markdown } from '../ui/markdown.tsx';
import { MentionArea } from './mention-area.tsx';

interface MarkdownFieldProps {
  /** The name of its draft. */
  field: string;
  /** The saved text. */
  note: string;
  label: string;
  action?: string;
  /** The people who are offered after an @. */
  people?: readonly Person[];
  isSaving: boolean;
  /** Saves the text, an edit of `base`, and calls `done` as soon as it is saved, also when the field is gone by then. */
  onSave: (edit: { text: string; base: string }, done: () => void) => void;
  /** The text that was saved elsewhere since the edit began. */
  conflict?: string | undefined;
  onCancel?: () => void;
}

/** A text field for Markdown. Ctrl+Enter saves, Escape cancels. Text that is not saved yet is kept as a draft. */
export function MarkdownField(props: MarkdownFieldProps) {
  const { field, note, label, action = 'Save', people = [], isSaving, onSave, conflict, onCancel } = props;
  const area = useRef<HTMLTextAreaElement>(null);
  const draft = useDraftedText(field, note);
  useEffect(() => {
    if (onCancel) area.current?.focus({ preventScroll: true });
  }, [onCancel]);
  const isEmpty = draft.text.trim() === '';
  const isDisabled = !onCancel && isEmpty;
  const save = () => {
    if (isDisabled || isSaving) return;
    onSave({ text: draft.text.trim(), base: conflict ?? draft.base }, () => draft.finish());
  };
  const cancel = () => {
    draft.finish(note);
    onCancel?.();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save();
    else if (event.key === 'Escape' && onCancel) cancel();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="stack">
      <MentionArea
        field={area}
        people={people}
        className="input note-field"
        aria-label={label}
        placeholder={label}
        maxLength={20_000}
        value={draft.text}
        readOnly={isSaving}
        onChange={draft.type}
        onKeyDown={onKeyDown}
      />
      {draft.isRestored && <p className="small muted">Restored text that was not saved.</p>}
      {conflict !== undefined && (
        <div className="note-conflict" role="alert">
          <p>
            {conflict === ''
              ? 'The note was deleted elsewhere. Yours is not saved yet.'
              : 'The note was changed elsewhere. Yours is not saved yet. The other one is:'}
          </p>
          {conflict !== '' && <Markdown text={conflict} />}
        </div>
      )}
      {(onCancel || !isEmpty) && (
        <div className="row">
          <Button size="small" look="primary" busy={isSaving} disabled={isDisabled} onClick={save}>
            {conflict === undefined ? action : 'Save mine'}
          </Button>
          {onCancel && (
            <Button size="small" look="ghost" onClick={cancel}>
              {conflict === undefined ? 'Cancel' : conflict === '' ? 'Discard mine' : 'Use the other'}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
