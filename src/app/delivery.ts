import { periodicWebhookCleanup } from '../features/webhooks/cleanup.ts';
import { createSender } from '../features/webhooks/sender.ts';
import { subscribeWebhooks } from '../features/webhooks/webhooks.ts';
import type { Database } from '../platform/database/database.ts';
import type { Egress } from '../platform/egress/egress.ts';
import type { Periodic } from '../platform/jobs/periodic/periodic.ts';
import { createDispatcher } from '../platform/outbox/dispatcher.ts';
import { periodicOutboxCleanup, periodicOutboxSweep } from '../platform/outbox/maintenance.ts';
import type { Subscriber } from '../platform/outbox/subscriber.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { WorkSource } from '../platform/work/source.ts';
import type { Config } from './config.ts';

/** The delivery of events, to subscribers inside Nexus and to webhooks. */
export interface Delivery {
  periodic: Periodic[];
  sources: WorkSource[];
}

export interface DeliveryDependencies {
  sql: Database;
  log: Logger;
  egress: Egress;
  config: Pick<Config, 'outbox'>;
  /** Who is told besides webhooks. */
  // biome-ignore lint/suspicious/noExplicitAny: subscribers to events of every type
  subscribers: Subscriber<any>[];
}

export function createDelivery(dependencies: DeliveryDependencies): Delivery {
  const { sql, log, egress, config } = dependencies;
  const { sweepMinutes, retentionHours } = config.outbox;
  const dispatcher = createDispatcher({
    sql,
    log,
    subscribers: [subscribeWebhooks(sql), ...dependencies.subscribers],
  });
  const sender = createSender({ sql, log, egress });
  return {
    periodic: [
      periodicOutboxSweep(dispatcher, sweepMinutes),
      periodicOutboxCleanup(sql, retentionHours),
      periodicWebhookCleanup(sql, retentionHours),
    ],
    sources: [dispatcher, sender],
  };
}
