import './field.css';
import { type ComponentProps, type ReactNode, useId } from 'react';

interface FieldProps {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
}

export interface TextFieldProps extends FieldProps, Omit<ComponentProps<'input'>, 'id'> {}

export function TextField({ label, hint, error, className = '', ...input }: TextFieldProps) {
  const id = useId();
  return (
    <div className={`field ${className}`}>
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      <input
        id={id}
        className="input"
        aria-invalid={error !== undefined}
        aria-describedby={describedBy(id, hint, error)}
        {...input}
      />
      <Notes id={id} hint={hint} error={error} />
    </div>
  );
}

export interface TextAreaFieldProps extends FieldProps, Omit<ComponentProps<'textarea'>, 'id'> {}

export function TextAreaField({ label, hint, error, className = '', ...input }: TextAreaFieldProps) {
  const id = useId();
  return (
    <div className={`field ${className}`}>
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      <textarea
        id={id}
        className="input"
        aria-invalid={error !== undefined}
        aria-describedby={describedBy(id, hint, error)}
        {...input}
      />
      <Notes id={id} hint={hint} error={error} />
    </div>
  );
}

export interface SelectProps<Value extends string>
  extends Omit<ComponentProps<'select'>, 'value' | 'onChange'> {
  /** Its accessible name; shown only by `SelectField`. */
  label: string;
  value: Value;
  options: readonly { value: Value; label: string }[];
  onChange: (value: Value) => void;
}

export function Select<Value extends string>({
  label,
  value,
  options,
  onChange,
  className = '',
  ...rest
}: SelectProps<Value>) {
  return (
    <select
      aria-label={label}
      className={`select ${className}`}
      value={value}
      onChange={(event) => onChange(event.target.value as Value)}
      {...rest}
    >
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  );
}

function Notes({ id, hint, error }: { id: string; hint: ReactNode; error: string | undefined }) {
  return (
    <>
      {hint && (
        <span id={`${id}-hint`} className="field-hint">
          {hint}
        </span>
      )}
      {error && (
        <span id={`${id}-error`} className="field-error" role="alert">
          {error}
        </span>
      )}
    </>
  );
}

function describedBy(id: string, hint: ReactNode, error: string | undefined): string | undefined {
  return [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined;
}
