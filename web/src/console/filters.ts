import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

/** The filters of a page, as search params, so that the address can be shared. */
export type Filters = Record<string, string | undefined>;

/** Reads the named search params as strings. The router would parse `404` as a number. */
export function readFilters<Name extends string>(...names: Name[]) {
  return (search: Record<string, unknown>): Partial<Record<Name, string>> =>
    Object.fromEntries(
      names
        .filter((name) => search[name] !== undefined && search[name] !== '')
        .map((name) => [name, String(search[name])]),
    ) as Partial<Record<Name, string>>;
}

/** The filters of the page, and a function that changes some of them. Undefined removes a filter. */
export function useFilters(): [Filters, (change: Filters) => void] {
  const filters: Filters = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = useCallback(
    (changed: Filters) => {
      void navigate({
        to: '.',
        search: ((before: Filters) => withoutEmpty({ ...before, ...changed })) as never,
        replace: true,
      });
    },
    [navigate],
  );
  return [filters, change];
}

function withoutEmpty(filters: Filters): Filters {
  return Object.fromEntries(
    Object.entries(filters).filter(([, value]) => value !== undefined && value !== ''),
  );
}
