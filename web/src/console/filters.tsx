import { useNavigate, useSearch } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { type ReactNode, useCallback, useId } from 'react';
import { Button } from '../ui/button.tsx';
import { Select } from '../ui/field.tsx';
import { useTypedText } from '../ui/use-typed-text.ts';
import { statusLabel } from './values.tsx';

const PAUSE_MS = 300;

/** The filters of a page, as search params, so that the address can be shared. */
export type Filters = Record<string, string | undefined>;

type UsedFilters = [filters: Filters, change: (change: Filters) => void, clear: (() => void) | undefined];

/**
 * The filters of the page, a function that changes some of them, and one that removes the named ones; it is undefined when
 * none of these is set. Undefined removes a filter.
 */
export function useFilters(names: readonly string[] = []): UsedFilters {
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
  const clear = () => change(Object.fromEntries(names.map((name) => [name, undefined])));
  return [filters, change, names.some((name) => filters[name] !== undefined) ? clear : undefined];
}

interface FilterBarProps {
  /** The filters that the button clears. */
  clears?: readonly string[];
  children: ReactNode;
}

export function FilterBar({ clears, children }: FilterBarProps) {
  const [, , clear] = useFilters(clears);
  return (
    <search className="console-filters">
      {children}
      {clear && (
        <Button look="ghost" size="small" icon={X} onClick={clear}>
          Clear filters
        </Button>
      )}
    </search>
  );
}

interface FilterSelectProps {
  /** The search param. */
  name: string;
  label: string;
  /** The option for no filter, such as `All statuses`. */
  all?: string;
  /** The option that is selected when there is no such param. */
  usual?: string;
  options: readonly (string | { value: string; label: string })[];
}

export function FilterSelect({ name, label, all, usual = '', options }: FilterSelectProps) {
  const [filters, change] = useFilters();
  const listed = options.map((option) =>
    typeof option === 'string' ? { value: option, label: option } : option,
  );
  return (
    <Select
      label={label}
      value={filters[name] ?? usual}
      options={all === undefined ? listed : [{ value: '', label: all }, ...listed]}
      onChange={(chosen) => change({ [name]: chosen === usual ? undefined : chosen })}
    />
  );
}

export function StatusFilter({ statuses }: { statuses: readonly string[] }) {
  const options = statuses.map((value) => ({ value, label: statusLabel(value) }));
  return <FilterSelect name="status" label="Status" all="All statuses" options={options} />;
}

/** Time ranges in minutes. */
export const TIMES = [
  { value: '15', label: 'Last 15 minutes' },
  { value: '60', label: 'Last hour' },
  { value: '360', label: 'Last 6 hours' },
  { value: '1440', label: 'Last 24 hours' },
];

export function TimeFilter({ usual }: { usual?: string }) {
  const options = [...TIMES, { value: '10080', label: 'Last 7 days' }];
  return (
    <FilterSelect
      name="minutes"
      label="Time"
      options={options}
      {...(usual ? { usual } : { all: 'Any time' })}
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
  const [text, setText] = useTypedText(filters[name] ?? '', PAUSE_MS, (typed) =>
    change({ [name]: typed, ...(removes && { [removes]: undefined }) }),
  );
  const listId = useId();
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

/** The time that many minutes ago, rounded to full minutes so that the query key does not change with every render. */
export function minutesAgo(minutes: string | undefined): string | undefined {
  if (minutes === undefined || !(Number(minutes) > 0)) return undefined;
  const minute = 60_000;
  return new Date(Math.floor(Date.now() / minute) * minute - Number(minutes) * minute).toISOString();
}
