import type { Database, Transaction } from '../database/database.ts';
import { transaction } from '../database/transaction.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';

export interface DeadWorker {
  id: string;
  name: string;
}

/** Takes back the claims of dead workers of one kind of work. Returns how many items were taken back. */
export type TakeBack = (tx: Transaction, dead: DeadWorker[]) => Promise<number>;

/**
 * Finds workers whose lease has expired and takes their claims back. Any worker may do it; of several at once, each dead
 * worker is handled by one. Returns how many items were taken back.
 */
export async function recoverDeadWorkers(sql: Database, log: Logger, takeBacks: TakeBack[]): Promise<number> {
  return transaction(sql, async (tx) => {
    const dead = await tx<DeadWorker[]>`
      delete from workers
      where id in (select id from workers where lease_expires_at < now() for update skip locked)
      returning id, name`;
    if (dead.length === 0) return 0;
    let count = 0;
    for (const takeBack of takeBacks) count += await takeBack(tx, dead);
    log.warn({ workers: dead.map(({ name }) => name), count }, 'took back the work of dead workers');
    return count;
  });
}

interface RecoveryOptions {
  sql: Database;
  log: Logger;
  leaseSeconds: number;
  takeBacks: TakeBack[];
  metrics?: Pick<Metrics, 'countRecovered'> | undefined;
  onRecovered(): void;
}

export interface KeptRecovery {
  stop(): Promise<void>;
}

/** Room for the difference between two looks at the database's clock. */
const MARGIN_MS = 10;

/** Recovers now, and whenever a lease expires, until stopped. Resolves after the first time. */
export async function keepRecovering(options: RecoveryOptions): Promise<KeptRecovery> {
  const { sql, log, leaseSeconds, takeBacks, metrics, onRecovered } = options;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  async function recover(): Promise<void> {
    let wait = (leaseSeconds * 1000) / 3;
    try {
      const count = await recoverDeadWorkers(sql, log, takeBacks);
      metrics?.countRecovered(count);
      if (count > 0) onRecovered();
      const [next] = await sql<[{ wait_ms: number | null }]>`
        select extract(epoch from min(lease_expires_at) - now())::float8 * 1000 as wait_ms from workers`;
      wait = Math.min(wait, Math.max(next.wait_ms ?? wait, 0) + MARGIN_MS);
    } catch (error) {
      log.warn({ err: error }, 'looking for dead workers failed; trying again');
    }
    if (!isStopped) timer = setTimeout(start, wait);
  }

  let recovering: Promise<void> | undefined;
  function start(): void {
    recovering = recover();
  }

  start();
  await recovering;
  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await recovering;
    },
  };
}
