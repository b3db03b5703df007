import './data-table.css';
import type { Key, ReactNode } from 'react';
import { Skeleton } from './states.tsx';

export interface Column<Row> {
  title: string;
  /** Whether only screen readers get the title. */
  isTitleHidden?: boolean;
  render: (row: Row) => ReactNode;
  numeric?: boolean;
}

export interface DataTableProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  /** Undefined while loading: skeleton rows are shown. */
  rows: readonly Row[] | undefined;
  rowKey: (row: Row) => Key;
  selection?: { selected: ReadonlySet<Key>; onChange: (selected: ReadonlySet<Key>) => void };
  skeletonRows?: number;
}

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowKey, selection, skeletonRows = 8 } = props;
  const keys = rows?.map(rowKey) ?? [];
  const allSelected = keys.length > 0 && keys.every((key) => selection?.selected.has(key));
  const toggle = (key: Key) => {
    const next = new Set(selection?.selected);
    if (!next.delete(key)) next.add(key);
    selection?.onChange(next);
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be focusable
    <section className="table-frame" aria-label={label} tabIndex={0}>
      <table className="table">
        <thead>
          <tr>
            {selection && (
              <th scope="col">
                <input
                  type="checkbox"
                  className="checkbox"
                  aria-label="Select all"
                  checked={allSelected}
                  onChange={() => selection.onChange(new Set(allSelected ? [] : keys))}
                />
              </th>
            )}
            {columns.map(({ title, isTitleHidden, numeric }) => (
              <th key={title} scope="col" className={numeric ? 'table-number' : undefined}>
                {isTitleHidden ? <span className="visually-hidden">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows?.map((row) => {
            const key = rowKey(row);
            return (
              <tr key={key} aria-selected={selection ? selection.selected.has(key) : undefined}>
                {selection && (
                  <td>
                    <input
                      type="checkbox"
                      className="checkbox"
                      aria-label="Select"
                      checked={selection.selected.has(key)}
                      onChange={() => toggle(key)}
                    />
                  </td>
                )}
                {columns.map(({ title, isTitleHidden, numeric, render }) => (
                  <td
                    key={title}
                    className={numeric ? 'table-number' : undefined}
                    data-label={isTitleHidden ? undefined : title}
                  >
                    {render(row)}
                  </td>
                ))}
              </tr>
            );
          })}
          {rows === undefined &&
            Array.from({ length: skeletonRows }, (_, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: skeletons have no other key
              <tr key={index}>
                {selection && <td />}
                {columns.map(({ title }) => (
                  <td key={title}>
                    <Skeleton height="0.9rem" />
                  </td>
                ))}
              </tr>
            ))}
        </tbody>
      </table>
    </section>
  );
}
