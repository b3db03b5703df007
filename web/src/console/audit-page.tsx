import { useQuery } from '@tanstack/react-query';
import { ScrollText } from 'lucide-react';
import { dataQuery, queryKeys } from '../api/queries.ts';
import { librariesQuery } from '../library/queries.ts';
import type { Column } from '../ui/data-table.tsx';
import { exactTime } from '../ui/dates.ts';
import { EmptyState } from '../ui/states.tsx';
import { ConsolePage } from './console-page.tsx';
import { FilterBar, FilterText, minutesAgo, TimeFilter, useFilters } from './filters.tsx';
import { shortId } from './format.ts';
import { ListView, useList } from './list.tsx';
import { AUDIT_FILTERS } from './sections.ts';
import type { AuditEntry, User } from './types.ts';
import { ConsoleLink } from './values.tsx';

const COLUMNS: readonly Column<AuditEntry>[] = [
  {
    title: 'Time',
    render: ({ created_at }) => (
      <time dateTime={created_at} className="nowrap">
        {exactTime(created_at)}
      </time>
    ),
  },
  {
    title: 'Action',
    render: ({ action }) => (
      <ConsoleLink to="audit" search={{ action }} className="console-row-link">
        {action}
      </ConsoleLink>
    ),
  },
  {
    title: 'User',
    render: ({ actor }) => (
      <ConsoleLink to="audit" search={{ actor }} className="nowrap">
        {actor}
      </ConsoleLink>
    ),
  },
  { title: 'Details', render: ({ details }) => <Details details={details} /> },
];

export default function AuditPage() {
  const [{ minutes, ...filters }, , clear] = useFilters(AUDIT_FILTERS);
  const list = useList<AuditEntry>('/audit', queryKeys.audit(), {
    ...filters,
    created_after: filters.created_after ?? minutesAgo(minutes),
  });
  const seen = (read: (entry: AuditEntry) => string) => [...new Set(list.rows?.map(read))].toSorted();
  return (
    <ConsolePage title="Audit" lead="Activity and denied requests.">
      <FilterBar clears={AUDIT_FILTERS}>
        <TimeFilter />
        <FilterText name="action" label="Action" suggestions={seen(({ action }) => action)} />
        <FilterText name="actor" label="User" suggestions={seen(({ actor }) => actor)} />
      </FilterBar>
      <ListView
        label="Audit log"
        list={list}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        empty={
          <EmptyState icon={ScrollText} title="No entries">
            {clear
              ? 'Filters match the whole name, such as job.requeued.'
              : 'Failed sign-ins, refused requests, changes of users, keys and members, and actions of operators are listed here.'}
          </EmptyState>
        }
      />
    </ConsolePage>
  );
}

/** `invited_user_id` as `invited user`. */
function labelOf(name: string): string {
  return NAMED.test(name) ? name.replace(/_id$/, '').replaceAll('_', ' ') : name;
}

const isId = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f-]{36}$/.test(value);

/** The details that name a user or a library by its id. */
const NAMED = /^(?:(.*)_)?(user|library)_id$/;

/** The names of users, and of the libraries that the person is a member of, by id. */
function useNames(): ReadonlyMap<string, string> {
  const users = useQuery({
    ...dataQuery<User[]>(queryKeys.userNames(), '/users', { limit: 200 }),
    staleTime: 60_000,
  });
  const libraries = useQuery(librariesQuery);
  return new Map([
    ...(users.data ?? []).map(({ id, username }) => [id, username] as const),
    ...(libraries.data ?? []).map(({ id, name }) => [id, name] as const),
  ]);
}

/** Shows details with names instead of ids where they are known, and otherwise shortened ids. The request id comes last. */
function Details({ details: { request_id, ...details } }: { details: Record<string, unknown> }) {
  const names = useNames();
  const all = Object.entries({ ...details, ...(request_id !== undefined && { request: request_id }) });
  // The name of the user is there already.
  const isRepeated = (name: string, value: unknown) =>
    name === 'user_id' && isId(value) && names.get(value) === details.username;
  return (
    <span className="console-details">
      {all
        .filter(([name, value]) => !isRepeated(name, value))
        .map(([name, value]) => (
          <span key={name}>
            <span className="muted">{labelOf(name)}</span>{' '}
            {isId(value) && names.has(value) ? (
              <span title={value}>{names.get(value)}</span>
            ) : name === 'job_id' && isId(value) ? (
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
