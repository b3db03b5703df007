import { TextAreaField } from '../ui/field.tsx';

const LONGEST_TITLE = 500;

interface TitleFieldProps {
  value: string;
  onChange: (title: string) => void;
  error: unknown;
  hint?: string;
}

/** A field for a title, which is one line that may be long. Enter submits the form. */
export function TitleField({ value, onChange, error, hint }: TitleFieldProps) {
  return (
    <TextAreaField
      label="Title"
      name="title"
      className="title-field"
      dir="auto"
      rows={2}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      maxLength={LONGEST_TITLE}
      error={error}
      hint={hint}
      required
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return;
        event.preventDefault();
        event.currentTarget.form?.requestSubmit();
      }}
    />
  );
}
