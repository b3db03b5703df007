import { ScrollText } from 'lucide-react';
import { queryKeys } from '../api/query-keys.ts';
import type { Column } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ConsoleLink } from './console-link.tsx';
import { ConsolePage } from './console-page.tsx';
import { FilterBar, FilterSelect, FilterText, LONG_TIMES, minutesAgo } from './filter-bar.tsx';
import { useFilters } from './filters.ts';
import { dateTime, shortId } from './format.ts';
import { ListView } from './list-view.tsx';
import { useList } from './lists.ts';
import type { AuditEntry } from './types.ts';

const COLUMNS: readonly Column<AuditEntry>[] = [
  {
    key: 'when',
    title: 'Time',
    render: ({ created_at }) => (
      <time dateTime={created_at} className="nowrap">
        {dateTime(created_at)}
      </time>
    ),
  },
  {
    key: 'action',
    title: 'Action',
    render: ({ action }) => (
      <ConsoleLink to="audit" search={{ action }} className="console-row-link">
        {action}
      </ConsoleLink>
    ),
  },
  {
    key: 'actor',
    title: 'User',
    render: ({ actor }) => (
      <ConsoleLink to="audit" search={{ actor }} className="nowrap">
        {actor}
      </ConsoleLink>
    ),
  },
  { key: 'details', title: 'Details', render: ({ details }) => <Details details={details} /> },
];

export default function AuditPage() {
  const [{ minutes, ...filters }, change] = useFilters();
  const list = useList<'audit_logs', AuditEntry>('audit_logs', {
    queryKey: queryKeys.audit(),
    path: '/api/v1/audit',
    filters: { ...filters, created_after: filters.created_after ?? minutesAgo(minutes) },
  });
  const isFiltered = minutes !== undefined || Object.keys(filters).length > 0;
  const seen = (read: (entry: AuditEntry) => string) => [...new Set(list.rows?.map(read))].toSorted();
  return (
    <ConsolePage title="Audit" lead="Actions of users, and refused requests.">
      <FilterBar
        onClear={
          isFiltered
            ? () =>
                change({
                  action: undefined,
                  actor: undefined,
                  minutes: undefined,
                  created_after: undefined,
                  created_before: undefined,
                })
            : undefined
        }
      >
        <FilterSelect
          label="Time"
          all="Any time"
          value={minutes}
          options={LONG_TIMES}
          onChange={(value) => change({ minutes: value })}
        />
        <FilterText
          label="Action"
          value={filters.action}
          suggestions={seen(({ action }) => action)}
          onChange={(action) => change({ action })}
        />
        <FilterText
          label="User"
          value={filters.actor}
          suggestions={seen(({ actor }) => actor)}
          onChange={(actor) => change({ actor })}
        />
      </FilterBar>
      <ListView
        label="Audit log"
        list={list}
        columns={COLUMNS}
        rows={list.rows}
        rowKey={({ id }) => id}
        empty={
          <EmptyState icon={ScrollText} title="No entries">
            {isFiltered
              ? 'Filters match the whole name, such as job.requeued.'
              : 'Failed sign-ins, refused requests, changes of users, keys and members, and actions of operators are listed here.'}
          </EmptyState>
        }
      />
    </ConsolePage>
  );
}

const isId = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f-]{36}$/.test(value);

/** Shows details with shortened ids. Job ids are links. The request id comes last. */
function Details({ details: { request_id, ...details } }: { details: Record<string, unknown> }) {
  const all = Object.entries({ ...details, ...(request_id !== undefined && { request: request_id }) });
  return (
    <span className="console-details">
      {all.map(([name, value]) => (
        <span key={name}>
          <span className="muted">{name}</span>{' '}
          {name === 'job_id' && isId(value) ? (
            <ConsoleLink to={`jobs/${value}`} className="mono" title={value}>
              {shortId(value)}
            </ConsoleLink>
          ) : (
            <span className="mono" title={String(value)}>
              {isId(value) ? shortId(value) : String(value)}
            </span>
          )}
        </span>
      ))}
    </span>
  );
}
