import type { Database } from '../platform/database/database.ts';
import type { Periodic } from '../platform/jobs/periodic.ts';
import { createDispatcher } from '../platform/outbox/dispatcher.ts';
import type { Hints } from '../platform/outbox/hints.ts';
import { periodicOutboxCleanup, periodicOutboxSweep } from '../platform/outbox/maintenance.ts';
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
  config: Pick<Config, 'outbox'>;
}

export function createDelivery({ sql, log, hints, config }: DeliveryDependencies): Delivery {
  const { sweepMinutes, retentionHours } = config.outbox;
  const dispatcher = createDispatcher({ sql, log, subscribers: [] });
  return {
    periodic: [periodicOutboxSweep(dispatcher, sweepMinutes), periodicOutboxCleanup(sql, retentionHours)],
    start: ({ pollSeconds }) => dispatcher.start(hints, pollSeconds),
  };
}
