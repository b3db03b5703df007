import { Link } from '@tanstack/react-router';
import { ScrollText } from 'lucide-react';
import { queryKeys } from '../api/queries.ts';
import type { Column } from '../ui/data-table.tsx';
import { exactTime } from '../ui/dates.ts';
import { EmptyState } from '../ui/states.tsx';
import { ConsolePage } from './console-page.tsx';
import { FilterBar, FilterText, minutesAgo, TimeFilter, useFilters } from './filters.tsx';
import { shortId } from './format.ts';
import { ListView, useList } from './list.tsx';
import { AUDIT_FILTERS } from './sections.ts';
import type { AuditEntry } from './types.ts';
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
  { title: 'Details', render: (entry) => <Details entry={entry} /> },
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

/** The details that refer to something that may have a name. */
const NAMED = /^(?:(.*)_)?(user|library|media|api_key|session|webhook)_id$/;

/** Shows details with names instead of ids where they are known, and otherwise shortened ids. The request id comes last. */
function Details({ entry: { details: given, names } }: { entry: AuditEntry }) {
  const { request_id, ...details } = given;
  const all = Object.entries({ ...details, ...(request_id !== undefined && { request: request_id }) });
  // The name of the user is there already.
  const isRepeated = (name: string, value: unknown) =>
    name === 'user_id' && isId(value) && names[value] === details.username;
  return (
    <span className="console-details">
      {all
        .filter(([name, value]) => !isRepeated(name, value))
        .map(([name, value]) => (
          <span key={name}>
            <span className="muted">{labelOf(name)}</span>{' '}
            {name === 'media_id' && isId(value) && names[value] ? (
              <Link to="/read/$mediaId" params={{ mediaId: value }} dir="auto">
                {names[value]}
              </Link>
            ) : isId(value) && names[value] ? (
              <span title={value}>{names[value]}</span>
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
