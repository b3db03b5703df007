import { useQuery } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import { queryKeys } from '../../api/query-keys.ts';
import type { Column } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ConsoleLink } from '../console-link.tsx';
import { ConsolePage } from '../console-page.tsx';
import { EVENT_TYPES } from '../event-types.ts';
import { FilterBar, FilterSelect, FilterText } from '../filter-bar.tsx';
import { useFilters } from '../filters.ts';
import { count, duration, plural, shortId } from '../format.ts';
import { ListView } from '../list-view.tsx';
import { useList } from '../lists.ts';
import { outboxHealthQuery } from '../queries.ts';
import { Stat } from '../stat.tsx';
import { StatusBadge } from '../status-badge.tsx';
import { Time } from '../time.tsx';
import type { OutboxEvent } from '../types.ts';

const STATUSES = ['pending', 'delivered', 'failed'].map((value) => ({ value, label: value }));

const COLUMNS: readonly Column<OutboxEvent>[] = [
  {
    key: 'event',
    title: 'Event',
    render: ({ id, event_type }) => (
      <ConsoleLink to={`outbox/${id}`} className="console-row-link" title={id}>
        {event_type} <span className="mono muted">{shortId(id)}</span>
      </ConsoleLink>
    ),
  },
  { key: 'status', title: 'Status', render: ({ status }) => <StatusBadge status={status} /> },
  {
    key: 'about',
    title: 'Subject',
    render: ({ aggregate_type, aggregate_id }) => (
      <ConsoleLink to="outbox" search={{ aggregate_type, aggregate_id }} title={aggregate_id}>
        {aggregate_type} <span className="mono">{shortId(aggregate_id)}</span>
      </ConsoleLink>
    ),
  },
  {
    key: 'error',
    title: 'Last error',
    render: ({ error_message }) =>
      error_message && (
        <span className="console-cell-error" title={error_message}>
          {error_message}
        </span>
      ),
  },
  {
    key: 'attempts',
    title: 'Attempts',
    numeric: true,
    render: ({ attempts, max_attempts }) => `${attempts} of ${max_attempts}`,
  },
  {
    key: 'next',
    title: 'Next attempt',
    render: ({ next_attempt_at }) => next_attempt_at && <Time at={next_attempt_at} />,
  },
  { key: 'created', title: 'Created', render: ({ created_at }) => <Time at={created_at} /> },
];

export default function OutboxPage() {
  const [filters, change] = useFilters();
  const list = useList<'events', OutboxEvent>('events', {
    queryKey: queryKeys.outboxList(),
    path: '/api/v1/outbox/events',
    filters,
  });
  const isFiltered = Object.keys(filters).length > 0;
  const clear = () =>
    change({ status: undefined, event_type: undefined, aggregate_type: undefined, aggregate_id: undefined });
  return (
    <ConsolePage title="Outbox" lead="All events and their deliveries.">
      <Health />
      <FilterBar onClear={isFiltered ? clear : undefined}>
        <FilterSelect
          label="Status"
          all="All statuses"
          value={filters.status}
          options={STATUSES}
          onChange={(status) => change({ status })}
        />
        <FilterSelect
          label="Event"
          all="All events"
          value={filters.event_type}
          options={EVENT_TYPES.map((value) => ({ value, label: value }))}
          onChange={(event_type) => change({ event_type })}
        />
        <FilterText
          label="Subject ID"
          wide
          value={filters.aggregate_id}
          onChange={(aggregate_id) => change({ aggregate_id, aggregate_type: undefined })}
        />
      </FilterBar>
      <ListView
        label="Events"
        list={list}
        columns={COLUMNS}
        rows={list.rows}
        rowKey={({ id }) => id}
        empty={
          <EmptyState icon={Send} title={isFiltered ? 'No events match these filters' : 'No events yet'}>
            Changes of media, libraries, invitations and jobs are listed here. Delivered and failed events are
            deleted after a while.
          </EmptyState>
        }
      />
    </ConsolePage>
  );
}

function Health() {
  const health = useQuery(outboxHealthQuery).data;
  return (
    <div className="console-stats">
      <Stat
        label="Pending"
        value={health ? count(health.pending_count) : '…'}
        note={health && `${count(health.due_count)} due, ${count(health.retrying_count)} to retry`}
      />
      <Stat
        label="Oldest due"
        value={health ? duration(health.oldest_due_seconds * 1000) : '…'}
        note="waiting for delivery"
        tone={(health?.oldest_due_seconds ?? 0) > 60 ? 'amber' : 'plain'}
      />
      <Stat
        label="Failed"
        value={health ? count(health.failed_count) : '…'}
        note="no attempts left"
        tone={health?.failed_count ? 'danger' : 'plain'}
      />
      <Stat
        label="Webhook deliveries"
        value={health ? count(health.pending_webhook_deliveries) : '…'}
        note={
          health &&
          `${plural(health.failing_webhooks, 'webhook')} failing, ${count(health.disabled_webhooks)} disabled`
        }
        tone={health && health.failing_webhooks + health.disabled_webhooks > 0 ? 'amber' : 'plain'}
      />
    </div>
  );
}
