import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { RotateCcw } from 'lucide-react';
import { api } from '../../api/client.ts';
import { queryKeys } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { useAction } from '../../ui/use-action.ts';
import { ConsolePage, PendingPage, PrivateContent, useSeesAllContent } from '../console-page.tsx';
import { outboxEventQuery } from '../queries.ts';
import type { OutboxEventWithDeliveries } from '../types.ts';
import { Code, ConsoleLink, Facts, JsonView, LastError, StatusAndId, StatusBadge, Time } from '../values.tsx';

const COLUMNS: readonly Column<OutboxEventWithDeliveries['deliveries'][number]>[] = [
  { title: 'Subscriber', render: ({ subscriber }) => subscriber },
  {
    title: 'Status',
    render: ({ delivered_at, attempts }) => (
      <StatusBadge status={delivered_at ? 'delivered' : attempts > 0 ? 'failed' : 'pending'} />
    ),
  },
  { title: 'Attempts', numeric: true, render: ({ attempts }) => attempts },
  { title: 'Delivered', render: ({ delivered_at }) => delivered_at && <Time at={delivered_at} /> },
  { title: 'Last error', render: ({ error_message }) => error_message },
];

export default function EventPage() {
  const { eventId = '' } = useParams({ strict: false }) as { eventId?: string };
  const event = useQuery(outboxEventQuery(eventId));
  const seesContent = useSeesAllContent();
  const retry = useAction({
    run: () => api.post(`/outbox/events/${eventId}/retry`),
    stale: [queryKeys.outbox()],
    message: () => 'The event will be delivered again.',
  });
  const { data } = event;
  if (!data) return <PendingPage title="Event" above="outbox" query={event} />;
  const { aggregate_type, aggregate_id, status, deliveries } = data;
  return (
    <ConsolePage
      title={data.event_type}
      above="outbox"
      lead={<StatusAndId status={status} id={data.id} />}
      actions={
        status === 'failed' && (
          <Button look="primary" icon={RotateCcw} busy={retry.isPending} onClick={() => retry.mutate()}>
            Retry
          </Button>
        )
      }
    >
      {status !== 'delivered' && <LastError text={data.error_message} />}
      <section className="section">
        <h2 className="section-title">Deliveries</h2>
        {deliveries.length > 0 ? (
          <DataTable
            label="Deliveries"
            columns={COLUMNS}
            rows={deliveries}
            rowKey={({ subscriber }) => subscriber}
          />
        ) : (
          <p className="card muted">
            {status === 'delivered' ? 'No subscriber for this event.' : 'Not delivered yet.'}
          </p>
        )}
      </section>
      <div className="console-columns section">
        <section>
          <h2 className="section-title">Details</h2>
          <Facts
            facts={{
              Subject: (
                <ConsoleLink to="outbox" search={{ aggregate_type, aggregate_id }}>
                  {aggregate_type} <span className="mono">{aggregate_id}</span>
                </ConsoleLink>
              ),
              Job: aggregate_type === 'job' && (
                <ConsoleLink to={`jobs/${aggregate_id}`}>Show job</ConsoleLink>
              ),
              Created: <Time at={data.created_at} />,
              Attempts: `${data.attempts} of ${data.max_attempts}`,
              'Next attempt': data.next_attempt_at && <Time at={data.next_attempt_at} />,
              Delivered: data.delivered_at && <Time at={data.delivered_at} />,
              Version: data.schema_version,
              'Idempotency key': <Code>{data.idempotency_key}</Code>,
              'Request ID': data.request_id && <Code>{data.request_id}</Code>,
            }}
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
