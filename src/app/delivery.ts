import { periodicWebhookCleanup } from '../features/webhooks/cleanup.ts';
import { createSender } from '../features/webhooks/sender.ts';
import { subscribeWebhooks } from '../features/webhooks/webhooks.ts';
import type { Database } from '../platform/database/database.ts';
import type { Egress } from '../platform/egress/egress.ts';
import type { Periodic } from '../platform/jobs/periodic.ts';
import { createDispatcher } from '../platform/outbox/dispatcher.ts';
import type { Hints } from '../platform/outbox/hints.ts';
import { periodicOutboxCleanup, periodicOutboxSweep } from '../platform/outbox/maintenance.ts';
import type { Subscriber } from '../platform/outbox/subscriber.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { Config } from './config.ts';

/** Tells the world, and the rest of Nexus, what has happened. */
export interface Delivery {
  periodic: Periodic[];
  /** Delivers in this process until stopped. */
  start(options: { pollSeconds: number }): { stop(graceSeconds: number): Promise<void> };
}

export interface DeliveryDependencies {
  sql: Database;
  log: Logger;
  hints: Hints;
  egress: Egress;
  config: Pick<Config, 'outbox'>;
  /** Who is told besides webhooks. */
  // biome-ignore lint/suspicious/noExplicitAny: subscribers to events of every type
  subscribers: Subscriber<any>[];
}

export function createDelivery(dependencies: DeliveryDependencies): Delivery {
  const { sql, log, hints, egress, config } = dependencies;
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
    start({ pollSeconds }) {
      const loops = [dispatcher.start(hints, pollSeconds), sender.start(hints, pollSeconds)];
      return {
        async stop(graceSeconds) {
          await Promise.all(loops.map((loop) => loop.stop(graceSeconds)));
        },
      };
    },
  };
}
