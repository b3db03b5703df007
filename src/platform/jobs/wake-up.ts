import { EventEmitter } from 'node:events';
import type { ConnectionTarget, Database, Transaction } from '../database/database.ts';
import { type Listener, startListener } from '../database/listener.ts';
import { newId } from '../ids.ts';
import type { Logger } from '../telemetry/logger.ts';

/**
 * Hints between those who enqueue or cancel and those who work, in this process and in others. Losing one costs
 * time, never work: polling finds the same.
 */
export interface WakeUp {
  /** There may be work in these queues, as soon as the transaction has committed. */
  work(tx: Transaction, queues: Iterable<string>): void;
  /** This job was cancelled while it ran. */
  cancelled(tx: Transaction, jobId: string): void;
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
type Channel = typeof WORK | typeof CANCELLED;
/** A message may have 8,000 bytes. */
const SUBJECTS_PER_MESSAGE = 100;

/** Within this time of a hint, the next ones gather into one. */
const GATHER_MS = 5;

/** A hint leaves in the wake of its transaction's commit; when many commit at once, few of them carry one. */
export function createWakeUp({ sql, log, listenAt }: WakeUpOptions): WakeUp {
  const hints = new EventEmitter().setMaxListeners(0);
  const origin = newId();
  const gathered = { [WORK]: new Set<string>(), [CANCELLED]: new Set<string>() };
  let lastSentAt = Number.NEGATIVE_INFINITY;
  let gathering: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;

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
        if (from !== origin) hear(channel as Channel, new Set(subjects));
      },
    });

  function tell(tx: Transaction, channel: Channel, subjects: Iterable<string>): void {
    const said = new Set(subjects);
    tx.notifyAfterCommit(channel, () => {
      if (performance.now() - lastSentAt > GATHER_MS) {
        lastSentAt = performance.now();
        return messageOf(said);
      }
      for (const subject of said) gathered[channel].add(subject);
      gathering ??= setTimeout(() => {
        sending = send();
      }, GATHER_MS);
      return undefined;
    });
    tx.afterCommit(() => hear(channel, said));
  }

  /** Those of this process need not wait for the database. */
  function hear(channel: Channel, subjects: Set<string>): void {
    if (channel === WORK) hints.emit('work', subjects);
    else for (const id of subjects) hints.emit('cancelled', id);
  }

  async function send(): Promise<void> {
    gathering = undefined;
    lastSentAt = performance.now();
    for (const channel of [WORK, CANCELLED] as const) {
      const subjects = [...gathered[channel]];
      gathered[channel].clear();
      try {
        for (let i = 0; i < subjects.length; i += SUBJECTS_PER_MESSAGE) {
          await sql`select pg_notify(${channel}, ${messageOf(subjects.slice(i, i + SUBJECTS_PER_MESSAGE))})`;
        }
      } catch (error) {
        log.debug({ err: error }, 'a wake-up hint was lost; polling will find the work');
      }
    }
  }

  const messageOf = (subjects: Iterable<string>) => [origin, ...subjects].join(' ');

  return {
    work: (tx, queues) => tell(tx, WORK, queues),
    cancelled: (tx, jobId) => tell(tx, CANCELLED, [jobId]),
    onWork(listenerOf) {
      hints.on('work', listenerOf);
      return () => hints.off('work', listenerOf);
    },
    onCancelled(listenerOf) {
      hints.on('cancelled', listenerOf);
      return () => hints.off('cancelled', listenerOf);
    },
    async close() {
      clearTimeout(gathering);
      await sending;
      await listener?.close();
    },
  };
}
