import { useQuery } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import { EVENT_TYPES } from '../../api/events.ts';
import { queryKeys } from '../../api/queries.ts';
import type { Column } from '../../ui/data-table.tsx';
import { count, plural } from '../../ui/numbers.ts';
import { EmptyState } from '../../ui/states.tsx';
import { ConsolePage } from '../console-page.tsx';
import { FilterBar, FilterSelect, FilterText, StatusFilter, useFilters } from '../filters.tsx';
import { duration, shortId } from '../format.ts';
import { ListView, useList } from '../list.tsx';
import { outboxHealthQuery } from '../queries.ts';
import { OUTBOX_FILTERS } from '../sections.ts';
import type { OutboxEvent } from '../types.ts';
import { CellError, ConsoleLink, RowLink, Stat, StatusBadge, Time } from '../values.tsx';

const COLUMNS: readonly Column<OutboxEvent>[] = [
  { title: 'Event', render: ({ id, event_type }) => <RowLink to="outbox" name={event_type} id={id} /> },
  { title: 'Status', render: ({ status }) => <StatusBadge status={status} /> },
  {
    title: 'Subject',
    render: ({ aggregate_type, aggregate_id }) => (
      <ConsoleLink to="outbox" search={{ aggregate_type, aggregate_id }} title={aggregate_id}>
        {aggregate_type} <span className="mono">{shortId(aggregate_id)}</span>
      </ConsoleLink>
    ),
  },
  { title: 'Last error', render: ({ error_message }) => <CellError text={error_message} /> },
  {
    title: 'Attempts',
    numeric: true,
    render: ({ attempts, max_attempts }) => `${attempts} of ${max_attempts}`,
  },
  {
    title: 'Next attempt',
    render: ({ next_attempt_at }) => next_attempt_at && <Time at={next_attempt_at} />,
  },
  { title: 'Created', render: ({ created_at }) => <Time at={created_at} /> },
];

export default function OutboxPage() {
  const [filters, , clear] = useFilters(OUTBOX_FILTERS);
  const list = useList<OutboxEvent>('/outbox/events', queryKeys.outboxList(), filters);
  return (
    <ConsolePage title="Outbox" lead="All events and their deliveries.">
      <Health />
      <FilterBar clears={OUTBOX_FILTERS}>
        <StatusFilter statuses={['pending', 'delivered', 'failed']} />
        <FilterSelect name="event_type" label="Event" all="All events" options={EVENT_TYPES} />
        <FilterText name="aggregate_id" label="Subject ID" wide removes="aggregate_type" />
      </FilterBar>
      <ListView
        label="Events"
        list={list}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        empty={
          <EmptyState icon={Send} title={clear ? 'No events match these filters' : 'No events yet'}>
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
        value={health && count(health.pending_count)}
        note={health && `${count(health.due_count)} due, ${count(health.retrying_count)} to retry`}
      />
      <Stat
        label="Oldest due"
        value={health && duration(health.oldest_due_seconds * 1000)}
        note="waiting for delivery"
        tone={health && health.oldest_due_seconds > 60 && 'amber'}
      />
      <Stat
        label="Failed"
        value={health && count(health.failed_count)}
        note="no attempts left"
        tone={health && health.failed_count > 0 && 'danger'}
      />
      <Stat
        label="Webhook deliveries"
        value={health && count(health.pending_webhook_deliveries)}
        note={
          health &&
          `${plural(health.failing_webhooks, 'webhook')} failing, ${count(health.disabled_webhooks)} disabled`
        }
        tone={health && health.failing_webhooks + health.disabled_webhooks > 0 && 'amber'}
      />
    </div>
  );
}
