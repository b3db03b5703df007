import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import os from 'node:os';
import type { Database } from '../database/database.ts';
import { newId } from '../ids.ts';
import type { Logger } from '../telemetry/logger.ts';

/** A row of `workers`. All claims of a worker live exactly as long as the row is renewed. */
export interface Registration {
  current(): { id: string; name: string };
  /** How many workers there are, this one included, as of the last renewal. */
  workers(): number;
  /** Calls back when the row was removed, or could not be renewed in time: every claim has ended. */
  onLost(listener: () => void): () => void;
  /** Deletes the row. With claims left it stays, so that they are taken back when it expires. */
  close(mayHoldClaims: boolean): Promise<void>;
}

interface RegistrationOptions {
  sql: Database;
  log: Logger;
  /** The job queues that it serves; none for a registration that claims jobs by their id only. */
  queues: string[];
  concurrency: number;
  leaseSeconds: number;
  runningCount(): number;
}

const RENEWALS_PER_LEASE = 3;

export async function register(options: RegistrationOptions): Promise<Registration> {
  const { sql, log, leaseSeconds } = options;
  const name = `${os.hostname()}:${process.pid}:${randomBytes(3).toString('hex')}`;
  const events = new EventEmitter().setMaxListeners(0);
  let id = newId();
  let isEntered = false;
  let workers = 1;
  let renewedAt = performance.now();
  let renewing: Promise<void> | undefined;
  await enter();

  async function enter(): Promise<void> {
    // Under a new id each time: after a lost answer it is not known whether the row is there.
    id = newId();
    await sql`
      insert into workers (id, name, queues, concurrency, lease_expires_at)
      values (${id}, ${name}, ${options.queues}, ${options.concurrency}, now() + ${leaseSeconds} * interval '1 second')`;
    isEntered = true;
    renewedAt = performance.now();
  }

  async function renew(): Promise<void> {
    const sentAt = performance.now();
    try {
      if (!isEntered) return await enter();
      const renewedId = id;
      const [renewed] = await sql<{ workers: number }[]>`
        update workers
        set heartbeat_at = now(),
            lease_expires_at = now() + ${leaseSeconds} * interval '1 second',
            running_count = ${options.runningCount()}
        where id = ${id}
        returning (select count(*) from workers where queues <> '{}' and lease_expires_at > now()) as workers`;
      // It took longer than the lease, and the row has been abandoned.
      if (renewedId !== id) return;
      if (renewed) {
        workers = Math.max(1, renewed.workers);
        renewedAt = sentAt;
        return;
      }
      abandon('this worker was taken for dead; its work is dropped');
      await enter();
    } catch (error) {
      log.warn({ err: error }, 'a heartbeat failed; trying again');
      abandonExpired();
    }
  }

  /** Gives up a row that has expired. Another worker may do the same work by now: stop rather than do it twice. */
  function abandonExpired(): void {
    if (!isEntered || performance.now() - renewedAt <= leaseSeconds * 1000) return;
    abandon('this worker could not renew its leases in time; its work is dropped');
    renewing = undefined;
  }

  /** The row is never used again: what was dropped is taken back when it expires, and only then. */
  function abandon(why: string): void {
    log.warn({ worker: name }, why);
    isEntered = false;
    id = newId();
    events.emit('lost');
  }

  function beat(): void {
    // A renewal is not waited for longer than the lease: when the network loses packets, it may take minutes to fail.
    if (renewing) abandonExpired();
    if (renewing) return;
    const current = renew().finally(() => {
      if (renewing === current) renewing = undefined;
    });
    renewing = current;
  }

  const timer = setInterval(beat, (leaseSeconds * 1000) / RENEWALS_PER_LEASE);

  return {
    current: () => ({ id, name }),
    workers: () => workers,
    onLost(listener) {
      events.on('lost', listener);
      return () => events.off('lost', listener);
    },
    async close(mayHoldClaims) {
      clearInterval(timer);
      await renewing;
      if (mayHoldClaims) return;
      try {
        await sql`delete from workers where id = ${id}`;
      } catch (error) {
        log.warn({ err: error }, 'this worker could not delete its row, which expires by itself');
      }
    },
  };
}
