import './field.css';
import { type ComponentProps, type ReactNode, useId } from 'react';

interface FieldNotes {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
}

/** Attributes that connect a control with its label, hint and error. */
interface ControlProps {
  id: string;
  className: 'input';
  'aria-invalid': boolean;
  'aria-describedby': string | undefined;
}

export interface FieldProps extends FieldNotes {
  className?: string | undefined;
  children: (control: ControlProps) => ReactNode;
}

/** A control with its label, hint and error. */
export function Field({ label, hint, error, className = '', children }: FieldProps) {
  const id = useId();
  const notes = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean);
  return (
    <div className={`field ${className}`}>
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      {children({
        id,
        className: 'input',
        'aria-invalid': error !== undefined,
        'aria-describedby': notes.join(' ') || undefined,
      })}
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
    </div>
  );
}

export interface TextFieldProps extends FieldNotes, Omit<ComponentProps<'input'>, 'id'> {}

export function TextField({ label, hint, error, className, ...input }: TextFieldProps) {
  return (
    <Field {...{ label, hint, error, className }}>{(control) => <input {...control} {...input} />}</Field>
  );
}

export interface TextAreaFieldProps extends FieldNotes, Omit<ComponentProps<'textarea'>, 'id'> {}

export function TextAreaField({ label, hint, error, className, ...input }: TextAreaFieldProps) {
  return (
    <Field {...{ label, hint, error, className }}>{(control) => <textarea {...control} {...input} />}</Field>
  );
}

export interface SelectProps<Value extends string>
  extends Omit<ComponentProps<'select'>, 'value' | 'onChange'> {
  /** The accessible name. */
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
