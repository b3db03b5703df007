import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from '../telemetry/logger.ts';
import { type ConnectionTarget, connectionConfig } from './database.ts';

export interface ListenerOptions {
  target: ConnectionTarget;
  applicationName: string;
  channels: readonly string[];
  onNotification(channel: string, payload: string): void;
  /** Called when listening starts, also after a reconnect: notifications in between were missed. */
  onListening(): void;
  log: Logger;
}

export interface Listener {
  close(): Promise<void>;
}

const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 10_000;

/** Listens on one connection, and reconnects when it is lost. */
export function startListener(options: ListenerOptions): Listener {
  const stop = new AbortController();
  const ended = run();

  async function run(): Promise<void> {
    for (let failures = 0; !stop.signal.aborted; failures++) {
      try {
        await listenOnce(() => {
          failures = 0;
        });
      } catch (error) {
        if (!stop.signal.aborted)
          options.log.warn({ err: error }, 'the listening connection was lost; reconnecting');
      }
      const wait = Math.min(MIN_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS);
      await pause(wait, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  }

  /** Resolves when the listener is closed, rejects when the connection is lost. */
  async function listenOnce(onConnected: () => void): Promise<void> {
    const client = new pg.Client({
      ...connectionConfig(options.target),
      application_name: options.applicationName,
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
    });
    let close: () => void = () => undefined;
    const lost = new Promise<void>((resolve, reject) => {
      client.on('error', reject);
      client.on('end', () => reject(new Error('The connection ended.')));
      close = resolve;
    });
    stop.signal.addEventListener('abort', close);
    lost.catch(() => undefined);
    client.on('notification', ({ channel, payload = '' }) => options.onNotification(channel, payload));
    try {
      await client.connect();
      for (const channel of options.channels) await client.query(`listen ${channel}`);
      onConnected();
      options.onListening();
      await lost;
    } finally {
      stop.signal.removeEventListener('abort', close);
      await client.end().catch(() => undefined);
    }
  }

  return {
    async close() {
      stop.abort();
      await ended;
    },
  };
}
