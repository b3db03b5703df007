import { X } from 'lucide-react';
import { type ReactNode, useEffect, useId, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Select } from '../ui/field.tsx';

const PAUSE_MS = 300;

export function FilterBar({
  children,
  onClear,
}: {
  children: ReactNode;
  onClear?: (() => void) | undefined;
}) {
  return (
    <search className="console-filters">
      {children}
      {onClear && (
        <Button look="ghost" size="small" icon={X} onClick={onClear}>
          Clear filters
        </Button>
      )}
    </search>
  );
}

export interface FilterSelectProps {
  label: string;
  /** The option for no filter, such as `All statuses`. */
  all?: string;
  value: string | undefined;
  options: readonly { value: string; label: string }[];
  onChange: (value: string | undefined) => void;
}

export function FilterSelect({ label, all, value, options, onChange }: FilterSelectProps) {
  return (
    <Select
      label={label}
      value={value ?? ''}
      options={all === undefined ? options : [{ value: '', label: all }, ...options]}
      onChange={(chosen) => onChange(chosen === '' ? undefined : chosen)}
    />
  );
}

export interface FilterTextProps {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  suggestions?: readonly string[];
  wide?: boolean;
}

/** A text filter that is applied when typing pauses. */
export function FilterText({ label, value = '', onChange, suggestions, wide = false }: FilterTextProps) {
  const [text, setText] = useState(value);
  const listId = useId();
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text.trim() === value) return;
    const timer = setTimeout(() => onChange(text.trim() || undefined), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, value, onChange]);
  return (
    <>
      <input
        type="search"
        className={`input console-filter-text ${wide ? 'console-filter-wide' : ''}`}
        aria-label={label}
        placeholder={label}
        value={text}
        maxLength={200}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setText(event.target.value)}
        {...(suggestions && { list: listId })}
      />
      {suggestions && (
        <datalist id={listId}>
          {suggestions.map((suggestion) => (
            <option key={suggestion} value={suggestion} />
          ))}
        </datalist>
      )}
    </>
  );
}

/** Time ranges in minutes. */
export const TIMES = [
  { value: '15', label: 'Last 15 minutes' },
  { value: '60', label: 'Last hour' },
  { value: '360', label: 'Last 6 hours' },
  { value: '1440', label: 'Last 24 hours' },
] as const;

export const LONG_TIMES = [...TIMES, { value: '10080', label: 'Last 7 days' }] as const;

/** The time that many minutes ago, rounded to full minutes so that the query key does not change with every render. */
export function minutesAgo(minutes: string | undefined): string | undefined {
  if (minutes === undefined || !(Number(minutes) > 0)) return undefined;
  const minute = 60_000;
  return new Date(Math.floor(Date.now() / minute) * minute - Number(minutes) * minute).toISOString();
}
