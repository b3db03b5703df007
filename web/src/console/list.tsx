import { type InfiniteData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../api/client.ts';
import type { ListPage } from '../api/types.ts';
import { useShortcuts } from '../keyboard/shortcuts.ts';
import { DataTable, type DataTableProps } from '../ui/data-table.tsx';
import { count } from '../ui/numbers.ts';
import { ErrorState, MoreButton } from '../ui/states.tsx';
import type { Filters } from './filters.tsx';
import { REFRESH_MS } from './queries.ts';

const PAGE_SIZE = 50;

/** A list of the API, page by page, refetched while it is shown. */
export function useList<Row>(path: string, queryKey: QueryKey, filters: Filters = {}) {
  type Rows = ListPage<Row>;
  const list = useInfiniteQuery<Rows, Error, InfiniteData<Rows>, QueryKey, string | undefined>({
    queryKey: [...queryKey, filters],
    queryFn: ({ pageParam, signal }) =>
      api.get(path, { limit: PAGE_SIZE, ...filters, cursor: pageParam }, signal),
    initialPageParam: undefined,
    getNextPageParam: ({ page }) => page.next_cursor ?? undefined,
    refetchInterval: REFRESH_MS,
    placeholderData: (before) => before,
  });
  const rows = list.data?.pages.flatMap(({ data }) => data);
  return { ...list, rows };
}

export type List<Row> = ReturnType<typeof useList<Row>>;

interface ListViewProps<Row> extends Omit<DataTableProps<Row>, 'rows'> {
  list: List<Row>;
  empty: ReactNode;
}

/** A table with its loading, error and empty states, and a button for more rows. */
export function ListView<Row>({ list, empty, ...table }: ListViewProps<Row>) {
  useRowKeys();
  const { rows } = list;
  if (list.error && !rows) return <ErrorState error={list.error} onRetry={() => void list.refetch()} />;
  if (rows?.length === 0) return empty;
  return (
    <>
      <DataTable {...table} rows={rows} />
      {rows && (
        <div className="console-more">
          <span className="muted small">{count(rows.length)} shown</span>
          <MoreButton list={list} size="small" />
        </div>
      )}
    </>
  );
}

const tableRows = () => [...document.querySelectorAll<HTMLTableRowElement>('main .table tbody tr')];
const target = (row: Element | undefined) =>
  row?.querySelector<HTMLElement>('a, button') ?? row?.querySelector<HTMLElement>('input');

/** `j` and `k` move between the rows of the table, `x` selects the focused row, Enter opens it. */
function useRowKeys(): void {
  const move = (step: number) => {
    const all = tableRows();
    const current = all.findIndex((row) => row.contains(document.activeElement));
    const next = current === -1 ? (step > 0 ? 0 : all.length - 1) : current + step;
    target(all[Math.max(0, Math.min(all.length - 1, next))])?.focus();
  };
  const select = () => {
    const row = document.activeElement?.closest('tr');
    row?.querySelector<HTMLInputElement>('input[type="checkbox"]')?.click();
  };
  useShortcuts([
    { keys: 'j', label: 'Next row', group: 'List', run: () => move(1) },
    { keys: 'k', label: 'Previous row', group: 'List', run: () => move(-1) },
    { keys: 'x', label: 'Select row', group: 'List', run: select },
  ]);
}
