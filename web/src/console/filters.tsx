import { useNavigate, useSearch } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { type ReactNode, useCallback, useEffect, useId, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Select } from '../ui/field.tsx';

const PAUSE_MS = 300;

/** The filters of a page, as search params, so that the address can be shared. */
export type Filters = Record<string, string | undefined>;

/** The filters of the page, and a function that changes some of them. Undefined removes a filter. */
export function useFilters(): [Filters, (change: Filters) => void] {
  const filters: Filters = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = useCallback(
    (changed: Filters) => {
      const search = (before: Filters) =>
        Object.fromEntries(Object.entries({ ...before, ...changed }).filter(([, value]) => value));
      void navigate({ to: '.', search: search as never, replace: true });
    },
    [navigate],
  );
  return [filters, change];
}

export const isFiltered = (filters: Filters, names: readonly string[]) =>
  names.some((name) => filters[name] !== undefined);

export function useClearFilters(names: readonly string[]): () => void {
  const [, change] = useFilters();
  return () => change(Object.fromEntries(names.map((name) => [name, undefined])));
}

interface FilterBarProps {
  /** The filters that the button clears. Without them there is no button. */
  clears?: readonly string[];
  children: ReactNode;
}

export function FilterBar({ clears = [], children }: FilterBarProps) {
  const [filters] = useFilters();
  const clear = useClearFilters(clears);
  return (
    <search className="console-filters">
      {children}
      {isFiltered(filters, clears) && (
        <Button look="ghost" size="small" icon={X} onClick={clear}>
          Clear filters
        </Button>
      )}
    </search>
  );
}

interface Option {
  value: string;
  label: string;
}

export const optionsOf = (values: readonly string[]): Option[] =>
  values.map((value) => ({ value, label: value }));

interface FilterSelectProps {
  name: string;
  label: string;
  /** The option for no filter, such as `All statuses`. */
  all?: string;
  /** The option that is selected when there is no such param. */
  usual?: string;
  options: readonly Option[];
}

export function FilterSelect({ name, label, all, usual = '', options }: FilterSelectProps) {
  const [filters, change] = useFilters();
  return (
    <Select
      label={label}
      value={filters[name] ?? usual}
      options={all === undefined ? options : [{ value: '', label: all }, ...options]}
      onChange={(chosen) => change({ [name]: chosen === usual ? undefined : chosen })}
    />
  );
}

interface FilterTextProps {
  name: string;
  label: string;
  suggestions?: readonly string[];
  wide?: boolean;
  /** Another search param, which is removed when this one changes. */
  removes?: string;
}

/** A text filter that is applied when typing pauses. */
export function FilterText({ name, label, suggestions, wide = false, removes }: FilterTextProps) {
  const [filters, change] = useFilters();
  const value = filters[name] ?? '';
  const [text, setText] = useState(value);
  const listId = useId();
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text.trim() === value) return;
    const apply = () => change({ [name]: text.trim(), ...(removes && { [removes]: undefined }) });
    const timer = setTimeout(apply, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, value, name, removes, change]);
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

export const STATUS_FILTER = { name: 'status', label: 'Status', all: 'All statuses' };

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
