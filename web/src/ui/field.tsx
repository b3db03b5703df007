import './field.css';
import { type ComponentProps, type ReactNode, useId } from 'react';
import { errorMessage } from '../api/client.ts';

interface FieldNotes {
  label: ReactNode;
  hint?: ReactNode;
  /** An error of a request, or a message. */
  error?: unknown;
}

/** Attributes that connect a control with its label, hint and error. */
interface ControlProps {
  id: string;
  className: 'input';
  'aria-invalid': boolean;
  'aria-describedby': string | undefined;
}

interface FieldProps extends FieldNotes {
  className?: string | undefined;
  children: (control: ControlProps) => ReactNode;
}

/** A control with its label, hint and error. */
export function Field({ label, hint, error, className = '', children }: FieldProps) {
  const id = useId();
  const message = !error ? undefined : typeof error === 'string' ? error : errorMessage(error);
  const notes = [hint && `${id}-hint`, message && `${id}-error`].filter(Boolean);
  return (
    <div className={`field ${className}`}>
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      {children({
        id,
        className: 'input',
        'aria-invalid': message !== undefined,
        'aria-describedby': notes.join(' ') || undefined,
      })}
      {hint && (
        <span id={`${id}-hint`} className="field-hint">
          {hint}
        </span>
      )}
      {message && (
        <span id={`${id}-error`} className="field-error" role="alert">
          {message}
        </span>
      )}
    </div>
  );
}

interface TextFieldProps extends FieldNotes, Omit<ComponentProps<'input'>, 'id'> {}

export function TextField({ label, hint, error, className, ...input }: TextFieldProps) {
  return (
    <Field {...{ label, hint, error, className }}>{(control) => <input {...control} {...input} />}</Field>
  );
}

interface TextAreaFieldProps extends FieldNotes, Omit<ComponentProps<'textarea'>, 'id'> {}

export function TextAreaField({ label, hint, error, className, ...input }: TextAreaFieldProps) {
  return (
    <Field {...{ label, hint, error, className }}>{(control) => <textarea {...control} {...input} />}</Field>
  );
}

interface SelectProps<Value extends string> extends Omit<ComponentProps<'select'>, 'value' | 'onChange'> {
  label: string;
  value: Value;
  options: readonly { value: Value; label: string }[];
  onChange: (value: Value) => void;
}

export function Select<Value extends string>(props: SelectProps<Value>) {
  const { label, options, onChange, className = '', ...rest } = props;
  return (
    <select
      aria-label={label}
      className={`select ${className}`}
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

export interface FormProps extends Omit<ComponentProps<'form'>, 'onSubmit'> {
  /** Called with a function that reads a field by its name. */
  onSubmit: (field: (name: string) => string, form: HTMLFormElement) => void;
}

/** A form that is handled by the page itself. */
export function Form({ onSubmit, className = 'stack', ...rest }: FormProps) {
  return (
    <form
      className={className}
      onSubmit={(event) => {
        event.preventDefault();
        const fields = new FormData(event.currentTarget);
        onSubmit((name) => String(fields.get(name) ?? ''), event.currentTarget);
      }}
      {...rest}
    />
  );
}
