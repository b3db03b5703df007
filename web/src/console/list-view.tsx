import type { ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { DataTable, type DataTableProps } from '../ui/data-table.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { count } from './format.ts';
import { useRowKeys } from './row-keys.ts';

export interface ListViewProps<Row> extends DataTableProps<Row> {
  list: {
    error: unknown;
    refetch: () => unknown;
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    fetchNextPage: () => unknown;
  };
  /** Shown when there are no rows. */
  empty: ReactNode;
}

/** A table with its loading, error and empty states, and a button for more rows. */
export function ListView<Row>({ list, empty, ...table }: ListViewProps<Row>) {
  useRowKeys();
  const { rows } = table;
  if (list.error && rows === undefined) {
    return <ErrorState error={list.error} onRetry={() => void list.refetch()} />;
  }
  if (rows?.length === 0) return empty;
  return (
    <>
      <DataTable {...table} />
      {rows && (
        <div className="console-more">
          <span className="muted small">{count(rows.length)} shown</span>
          {list.hasNextPage && (
            <Button size="small" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
              Show more
            </Button>
          )}
        </div>
      )}
    </>
  );
}
