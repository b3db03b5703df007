import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../telemetry/logger.ts';
import {
  type ConnectionTarget,
  connectionClass,
  connectionConfig,
  type Database,
  KEEP_ALIVE,
} from './database.ts';
import { CHANNEL, type Subjects } from './notifications.ts';

interface ListenerOptions {
  sql: Database;
  log: Logger;
  /** Undefined behind a pooler, where a connection cannot listen: then only this process is heard. */
  listenAt: ConnectionTarget | undefined;
}

export type Listener = ReturnType<typeof createListener>;

const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 10_000;

/** The one connection of a process that listens for notifications. It is made when the first listener is added. */
export function createListener({ sql, log, listenAt }: ListenerOptions) {
  const stop = new AbortController();
  let running: Promise<void> | undefined;

  /** Connects, and connects again when the connection is lost. */
  async function run(target: ConnectionTarget): Promise<void> {
    for (let failures = 0; !stop.signal.aborted; failures++) {
      try {
        await listenOnce(target, () => {
          failures = 0;
        });
      } catch (error) {
        if (!stop.signal.aborted)
          log.warn({ err: error }, 'the listening connection was lost; connecting again');
      }
      const wait = Math.min(MIN_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS);
      await pause(wait, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  }

  /** Resolves when the listener is closed, rejects when the connection is lost. */
  async function listenOnce(target: ConnectionTarget, onConnected: () => void): Promise<void> {
    const Client = connectionClass(target);
    const client = new Client({
      ...connectionConfig(target),
      application_name: 'nexus listener',
      connectionTimeoutMillis: 10_000,
      ...KEEP_ALIVE,
    });
    let close: () => void = () => undefined;
    const lost = new Promise<void>((resolve, reject) => {
      client.on('error', reject);
      client.on('end', () => reject(new Error('The connection ended.')));
      close = resolve;
    });
    stop.signal.addEventListener('abort', close);
    lost.catch(() => undefined);
    client.on('notification', ({ payload = '' }) => sql.notifications.hear(payload));
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      onConnected();
      sql.notifications.missed();
      await lost;
    } finally {
      stop.signal.removeEventListener('abort', close);
      await client.end().catch(() => undefined);
    }
  }

  return {
    /** Adds a listener. Returns a function that removes it. */
    on(topic: string, listener: (subjects: Subjects) => void): () => void {
      if (listenAt && !stop.signal.aborted) running ??= run(listenAt);
      return sql.notifications.on(topic, listener);
    },
    async close(): Promise<void> {
      stop.abort();
      await running;
    },
  };
}
