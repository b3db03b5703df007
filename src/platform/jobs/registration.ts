import { randomBytes } from 'node:crypto';
import os from 'node:os';
import type { Database } from '../database/database.ts';
import { newId } from '../ids.ts';
import type { Logger } from '../telemetry/logger.ts';

/** This process's entry among the workers. All its leases live exactly as long as the entry is renewed. */
export interface Registration {
  current(): { id: string; name: string };
  /** Signs off. A worker under whose leases jobs may be left does not: they would be nobody's. */
  close(mayHoldJobs: boolean): Promise<void>;
}

export interface RegistrationOptions {
  sql: Database;
  log: Logger;
  queues: string[];
  concurrency: number;
  leaseSeconds: number;
  runningCount(): number;
  /** The entry was taken for dead and removed, or could not be renewed in time: every lease is void. */
  onLost(): void;
}

const RENEWALS_PER_LEASE = 3;

export async function register(options: RegistrationOptions): Promise<Registration> {
  const { sql, log, leaseSeconds } = options;
  const name = `${os.hostname()}:${process.pid}:${randomBytes(3).toString('hex')}`;
  let id = newId();
  let isEntered = false;
  let renewedAt = performance.now();
  let renewing: Promise<void> | undefined;
  await enter();

  async function enter(): Promise<void> {
    // Under a new id each time: of one whose answer was lost nobody knows whether it is there.
    id = newId();
    await sql`
      insert into job_workers (id, name, queues, concurrency, lease_expires_at)
      values (${id}, ${name}, ${options.queues}, ${options.concurrency}, now() + ${leaseSeconds} * interval '1 second')`;
    isEntered = true;
    renewedAt = performance.now();
  }

  async function renew(): Promise<void> {
    try {
      if (!isEntered) return await enter();
      const renewed = await sql`
        update job_workers
        set heartbeat_at = now(),
            lease_expires_at = now() + ${leaseSeconds} * interval '1 second',
            running_count = ${options.runningCount()}
        where id = ${id}`;
      if (renewed.count === 1) {
        renewedAt = performance.now();
        return;
      }
      abandon('this worker was taken for dead; what it was doing is dropped');
      await enter();
    } catch (error) {
      log.warn({ err: error }, 'a heartbeat failed; trying again');
      // By now somebody else may be doing the same work: stop rather than do it twice.
      if (isEntered && performance.now() - renewedAt > leaseSeconds * 1000)
        abandon('this worker could not renew its leases in time; what it was doing is dropped');
    }
  }

  /** Never to come back to the entry: what was dropped is taken back when that expires, and only then. */
  function abandon(why: string): void {
    log.warn({ worker: name }, why);
    isEntered = false;
    id = newId();
    options.onLost();
  }

  const timer = setInterval(
    () => {
      renewing ??= renew().finally(() => {
        renewing = undefined;
      });
    },
    (leaseSeconds * 1000) / RENEWALS_PER_LEASE,
  );

  return {
    current: () => ({ id, name }),
    async close(mayHoldJobs) {
      clearInterval(timer);
      await renewing;
      // Then the entry expires, and whoever finds that takes the jobs back.
      if (mayHoldJobs) return;
      try {
        await sql`delete from job_workers where id = ${id}`;
      } catch (error) {
        log.warn({ err: error }, 'this worker could not sign off; its entry expires by itself');
      }
    },
  };
}
