import { PackageOpen, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { queryKeys } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { exactTime } from '../../ui/dates.ts';
import { plural } from '../../ui/numbers.ts';
import { Badge, EmptyState, MoreButton, Pending, Skeleton } from '../../ui/states.tsx';
import { useAction } from '../../ui/use-action.ts';
import { FilterBar, StatusFilter, useFilters } from '../filters.tsx';
import { duration } from '../format.ts';
import { useList } from '../list.tsx';
import type { LoggedDelivery, Webhook } from '../types.ts';
import { ConsoleLink, JsonView, StatusBadge, Time } from '../values.tsx';

/** The deliveries of a webhook, with the requests and responses of each attempt. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const [filters] = useFilters();
  const path = `/webhooks/${webhook.id}/deliveries`;
  const list = useList<LoggedDelivery>(path, queryKeys.deliveries(webhook.id), filters);
  const resend = useAction<LoggedDelivery>({
    run: ({ id }) => api.post(`${path}/${id}/replay`),
    stale: [queryKeys.webhooks()],
    message: (_, { status }) =>
      status === 'delivered' ? 'Sent again with the same webhook-id.' : 'Retry started.',
  });
  return (
    <>
      <FilterBar>
        <StatusFilter statuses={['pending', 'delivered', 'failed']} />
      </FilterBar>
      <Pending query={list}>
        <Skeleton height="8rem" />
      </Pending>
      {list.rows?.length === 0 && (
        <EmptyState
          icon={PackageOpen}
          title={filters.status ? `No ${filters.status} deliveries` : 'No deliveries yet'}
        >
          Send a test to see the response of the endpoint.
        </EmptyState>
      )}
      <ul className="console-deliveries">
        {list.rows?.map((delivery) => (
          <Delivery
            key={delivery.id}
            delivery={delivery}
            canResend={webhook.is_enabled && (delivery.status !== 'pending' || delivery.log.length > 0)}
            isBusy={resend.isPending && resend.variables.id === delivery.id}
            onResend={() => resend.mutate(delivery)}
          />
        ))}
      </ul>
      {list.hasNextPage && (
        <div className="console-more">
          <MoreButton list={list} size="small" />
        </div>
      )}
    </>
  );
}

interface DeliveryProps {
  delivery: LoggedDelivery;
  canResend: boolean;
  isBusy: boolean;
  onResend: () => void;
}

function Delivery({ delivery, canResend, isBusy, onResend }: DeliveryProps) {
  const [isOpen, setOpen] = useState(false);
  const last = delivery.log.at(-1);
  return (
    <li className="card console-delivery">
      <div className="console-delivery-head">
        <button
          type="button"
          className="console-disclosure"
          aria-expanded={isOpen}
          onClick={() => setOpen((before) => !before)}
        >
          <b>{delivery.event_type}</b>
        </button>
        <StatusBadge status={delivery.status} />
        {last && <Response attempt={last} />}
        <span className="small muted grow">
          <Time at={delivery.created_at} />, {plural(delivery.log.length, 'attempt')}
          {delivery.next_attempt_at && (
            <>
              , next <Time at={delivery.next_attempt_at} />
            </>
          )}
        </span>
        <Button size="small" icon={RotateCcw} disabled={!canResend} busy={isBusy} onClick={onResend}>
          {delivery.status === 'delivered' ? 'Send again' : 'Retry'}
        </Button>
      </div>
      {delivery.status !== 'delivered' && delivery.error_message && last?.response_status == null && (
        <p className="console-error-text">{delivery.error_message}</p>
      )}
      {isOpen && (
        <div className="stack console-gap">
          <p className="small">
            Event{' '}
            <ConsoleLink to={`outbox/${delivery.event_id}`} className="mono">
              {delivery.event_id}
            </ConsoleLink>
          </p>
          {delivery.log.map((attempt) => (
            <section key={attempt.id} className="console-exchange">
              <p className="row">
                <Response attempt={attempt} />
                <span className="small muted">{exactTime(attempt.created_at)}</span>
              </p>
              {attempt.error_message && (
                <p className="console-error-text">
                  {attempt.error_code && <b>{attempt.error_code}: </b>}
                  {attempt.error_message}
                </p>
              )}
              {attempt.response_body && <JsonView label="Response" value={attempt.response_body} />}
              <details>
                <summary className="small">Request headers</summary>
                <JsonView
                  label="Request headers"
                  value={Object.entries(attempt.request_headers)
                    .map(([name, value]) => `${name}: ${value}`)
                    .join('\n')}
                />
              </details>
            </section>
          ))}
          <section>
            <h3 className="console-small-title">Request body</h3>
            <JsonView label="Request body" value={pretty(delivery.request_body)} />
          </section>
        </div>
      )}
    </li>
  );
}

function Response({ attempt }: { attempt: LoggedDelivery['log'][number] }) {
  const { response_status, duration_ms, error_code } = attempt;
  const isGood = response_status !== null && response_status >= 200 && response_status < 300;
  return (
    <span className="row">
      <Badge tone={isGood ? 'accent' : 'danger'}>{response_status ?? error_code ?? 'no response'}</Badge>
      <span className="small muted">in {duration(duration_ms)}</span>
    </span>
  );
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
