import { EventEmitter } from 'node:events';
import type { ConnectionTarget, Transaction } from '../database/database.ts';
import { type Listener, startListener } from '../database/listener.ts';
import type { Logger } from '../telemetry/logger.ts';

/** What there may be more of: events, or deliveries to webhooks. */
export type Topic = 'events' | 'webhooks';

const CHANNEL = 'nexus_outbox';
/** Every NOTIFY is a commit of its own; within this time of one, the next are left away. */
const GATHER_MS = 5;
/** A transaction whose hint was left away commits soon after; whoever was hinted looks again. */
const LOOK_AGAIN_MS = [20, 100];

const lastHintAt = new Map<Topic, number>();

/** Tells all processes, once the transaction has committed. A hint may be lost: polling finds the same. */
export function hintAfterCommit(tx: Transaction, topic: Topic): void {
  tx.notifyAfterCommit(CHANNEL, () => {
    const now = performance.now();
    if (now - (lastHintAt.get(topic) ?? Number.NEGATIVE_INFINITY) < GATHER_MS) return undefined;
    lastHintAt.set(topic, now);
    return topic;
  });
}

export interface Hints {
  /** Called when there may be more; returns how to stop. The first to ask makes the one connection that listens. */
  on(topic: Topic, listener: () => void): () => void;
  close(): Promise<void>;
}

export interface HintsOptions {
  log: Logger;
  /** Undefined behind a pooler, where nobody can listen. */
  listenAt: ConnectionTarget | undefined;
}

export function createHints({ log, listenAt }: HintsOptions): Hints {
  const heard = new EventEmitter().setMaxListeners(0);
  const timers = new Map<string, NodeJS.Timeout>();
  let listener: Listener | undefined;
  let isClosed = false;

  function hear(topic: Topic): void {
    heard.emit(topic);
    for (const wait of LOOK_AGAIN_MS) {
      const name = `${topic} ${wait}`;
      clearTimeout(timers.get(name));
      timers.set(
        name,
        setTimeout(() => heard.emit(topic), wait),
      );
    }
  }

  function listen(target: ConnectionTarget): Listener {
    return startListener({
      target,
      applicationName: 'nexus outbox listener',
      channels: [CHANNEL],
      log,
      onListening() {
        hear('events');
        hear('webhooks');
      },
      onNotification: (_channel, topic) => hear(topic as Topic),
    });
  }

  return {
    on(topic, listenerOf) {
      if (listenAt && !isClosed) listener ??= listen(listenAt);
      heard.on(topic, listenerOf);
      return () => heard.off(topic, listenerOf);
    },
    async close() {
      isClosed = true;
      for (const timer of timers.values()) clearTimeout(timer);
      await listener?.close();
    },
  };
}
