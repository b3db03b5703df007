import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Button } from '../ui/button.tsx';

interface MarkdownFieldProps {
  note: string;
  label: string;
  action?: string;
  onSave: (text: string) => Promise<unknown>;
  onCancel?: () => void;
}

/** A text field for Markdown. Ctrl+Enter saves, Escape cancels. */
export function MarkdownField({ note, label, action = 'Save', onSave, onCancel }: MarkdownFieldProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(note);
  const [isSaving, setSaving] = useState(false);
  useEffect(() => {
    if (onCancel) field.current?.focus({ preventScroll: true });
  }, [onCancel]);
  const save = async () => {
    setSaving(true);
    await onSave(text.trim());
    setSaving(false);
    if (!onCancel) setText('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void save();
    else if (event.key === 'Escape' && onCancel) onCancel();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const isEmpty = text.trim() === '';
  return (
    <div className="stack">
      <textarea
        ref={field}
        className="input note-field"
        aria-label={label}
        placeholder={label}
        maxLength={20_000}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {(onCancel || !isEmpty) && (
        <div className="row">
          <Button
            size="small"
            look="primary"
            busy={isSaving}
            disabled={!onCancel && isEmpty}
            onClick={() => void save()}
          >
            {action}
          </Button>
          {onCancel && (
            <Button size="small" look="ghost" onClick={onCancel}>
              Cancel
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
