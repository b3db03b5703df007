import { EventEmitter } from 'node:events';
import type { ConnectionTarget, Database } from '../database/database.ts';
import { type Listener, startListener } from '../database/listener.ts';
import { newId } from '../ids.ts';
import type { Logger } from '../telemetry/logger.ts';

/**
 * Hints between those who enqueue or cancel and those who work, in this process and in others. Losing one costs
 * time, never work: polling finds the same.
 */
export interface WakeUp {
  /** There may be work in these queues. */
  give(queues: Iterable<string>): void;
  /** This job was cancelled while it ran. */
  cancelled(jobId: string): void;
  onWork(listener: (queues: Set<string> | 'any') => void): () => void;
  onCancelled(listener: (jobId: string) => void): () => void;
  close(): Promise<void>;
}

export interface WakeUpOptions {
  sql: Database;
  log: Logger;
  /** Where to listen; undefined behind a pooler that hands out connections per transaction. */
  listenAt: ConnectionTarget | undefined;
}

const WORK = 'nexus_jobs_work';
const CANCELLED = 'nexus_jobs_cancelled';

/**
 * A NOTIFY inside the transaction that enqueues would make all such transactions commit one after the other, because
 * PostgreSQL takes a lock for it that spans the commit. So it is sent after the commit, on its own, and while one is
 * under way the next ones gather into one.
 */
export function createWakeUp({ sql, log, listenAt }: WakeUpOptions): WakeUp {
  const hints = new EventEmitter().setMaxListeners(0);
  const origin = newId();
  const waitingQueues = new Set<string>();
  const waitingCancels = new Set<string>();
  let sending: Promise<void> | undefined;
  let closed = false;

  const listener: Listener | undefined =
    listenAt &&
    startListener({
      target: listenAt,
      applicationName: 'nexus listener',
      channels: [WORK, CANCELLED],
      log,
      onListening: () => hints.emit('work', 'any'),
      onNotification(channel, payload) {
        const [from, ...subjects] = payload.split(' ');
        if (from === origin) return;
        if (channel === WORK) hints.emit('work', new Set(subjects));
        else for (const id of subjects) hints.emit('cancelled', id);
      },
    });

  async function send(): Promise<void> {
    while (waitingQueues.size + waitingCancels.size > 0 && !closed) {
      const work = [...waitingQueues];
      const cancels = [...waitingCancels].slice(0, 100);
      waitingQueues.clear();
      for (const id of cancels) waitingCancels.delete(id);
      try {
        if (work.length > 0) await sql`select pg_notify(${WORK}, ${[origin, ...work].join(' ')})`;
        if (cancels.length > 0) await sql`select pg_notify(${CANCELLED}, ${[origin, ...cancels].join(' ')})`;
      } catch (error) {
        log.debug({ err: error }, 'a wake-up hint was lost; polling will find the work');
      }
    }
    sending = undefined;
  }

  const sendSoon = () => {
    sending ??= send();
  };

  return {
    give(queues) {
      const set = new Set(queues);
      hints.emit('work', set);
      for (const queue of set) waitingQueues.add(queue);
      sendSoon();
    },
    cancelled(jobId) {
      hints.emit('cancelled', jobId);
      waitingCancels.add(jobId);
      sendSoon();
    },
    onWork(listenerOf) {
      hints.on('work', listenerOf);
      return () => hints.off('work', listenerOf);
    },
    onCancelled(listenerOf) {
      hints.on('cancelled', listenerOf);
      return () => hints.off('cancelled', listenerOf);
    },
    async close() {
      await sending;
      closed = true;
      await listener?.close();
    },
  };
}
