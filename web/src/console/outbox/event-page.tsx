import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { RotateCcw } from 'lucide-react';
import { api } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { Button } from '../../ui/button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { SkeletonText } from '../../ui/skeleton.tsx';
import { ConsoleLink } from '../console-link.tsx';
import { ConsolePage } from '../console-page.tsx';
import { PrivateContent, useSeesAllContent } from '../content.tsx';
import { CopyButton } from '../copy-button.tsx';
import { Facts } from '../facts.tsx';
import { JsonView } from '../json-view.tsx';
import { outboxEventQuery } from '../queries.ts';
import { StatusBadge } from '../status-badge.tsx';
import { Time } from '../time.tsx';
import type { OutboxEventWithDeliveries } from '../types.ts';
import { useAction } from '../use-action.ts';

const OUTBOX = <ConsoleLink to="outbox">Outbox</ConsoleLink>;

const COLUMNS: readonly Column<OutboxEventWithDeliveries['deliveries'][number]>[] = [
  { key: 'who', title: 'Subscriber', render: ({ subscriber }) => subscriber },
  {
    key: 'state',
    title: 'Status',
    render: ({ delivered_at, attempts }) => (
      <StatusBadge status={delivered_at ? 'delivered' : attempts > 0 ? 'failed' : 'pending'} />
    ),
  },
  { key: 'attempts', title: 'Attempts', numeric: true, render: ({ attempts }) => attempts },
  { key: 'at', title: 'Delivered', render: ({ delivered_at }) => delivered_at && <Time at={delivered_at} /> },
  { key: 'error', title: 'Last error', render: ({ error_message }) => error_message },
];

export default function EventPage() {
  const { eventId = '' } = useParams({ strict: false }) as { eventId?: string };
  const event = useQuery(outboxEventQuery(eventId));
  const seesContent = useSeesAllContent();
  const retry = useAction({
    run: () => api.post(`/api/v1/outbox/events/${eventId}/retry`),
    stale: [queryKeys.outbox()],
    message: () => 'The event will be delivered again.',
  });
  if (!event.data) {
    return (
      <ConsolePage title="Event" above={OUTBOX}>
        {event.error ? (
          <ErrorState error={event.error} onRetry={() => void event.refetch()} />
        ) : (
          <SkeletonText lines={10} />
        )}
      </ConsolePage>
    );
  }
  const { data } = event;
  return (
    <ConsolePage
      title={data.event_type}
      above={OUTBOX}
      lead={
        <span className="row">
          <StatusBadge status={data.status} />
          <code className="mono">{data.id}</code>
          <CopyButton text={data.id} label="Copy ID" />
        </span>
      }
      actions={
        data.status === 'failed' && (
          <Button look="primary" icon={RotateCcw} busy={retry.isPending} onClick={() => retry.mutate()}>
            Retry
          </Button>
        )
      }
    >
      {data.error_message && data.status !== 'delivered' && (
        <section className="console-notice console-notice-danger" aria-label="Last error">
          <h2 className="section-title">Last error</h2>
          <p className="console-error-text">{data.error_message}</p>
        </section>
      )}
      <section className="section">
        <h2 className="section-title">Deliveries</h2>
        {data.deliveries.length > 0 ? (
          <DataTable
            label="Deliveries"
            columns={COLUMNS}
            rows={data.deliveries}
            rowKey={({ subscriber }) => subscriber}
          />
        ) : (
          <p className="card muted">
            {data.status === 'delivered' ? 'No subscriber for this event.' : 'Not delivered yet.'}
          </p>
        )}
      </section>
      <div className="console-columns section">
        <section>
          <h2 className="section-title">Details</h2>
          <Facts
            facts={[
              [
                'Subject',
                <ConsoleLink
                  key="about"
                  to="outbox"
                  search={{ aggregate_type: data.aggregate_type, aggregate_id: data.aggregate_id }}
                >
                  {data.aggregate_type} <span className="mono">{data.aggregate_id}</span>
                </ConsoleLink>,
              ],
              [
                'Job',
                data.aggregate_type === 'job' && (
                  <ConsoleLink key="job" to={`jobs/${data.aggregate_id}`}>
                    Show job
                  </ConsoleLink>
                ),
              ],
              ['Created', <Time key="created" at={data.created_at} />],
              ['Attempts', `${data.attempts} of ${data.max_attempts}`],
              ['Next attempt', data.next_attempt_at && <Time key="next" at={data.next_attempt_at} />],
              ['Delivered', data.delivered_at && <Time key="delivered" at={data.delivered_at} />],
              ['Version', data.schema_version],
              [
                'Idempotency key',
                <code key="key" className="mono">
                  {data.idempotency_key}
                </code>,
              ],
              [
                'Request ID',
                data.request_id && (
                  <code key="request" className="mono">
                    {data.request_id}
                  </code>
                ),
              ],
            ]}
          />
        </section>
        <section>
          <h2 className="section-title">Payload</h2>
          {seesContent ? <JsonView label="Payload" value={data.payload} /> : <PrivateContent />}
        </section>
      </div>
    </ConsolePage>
  );
}
