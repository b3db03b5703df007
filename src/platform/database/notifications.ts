import { EventEmitter } from 'node:events';
import { newId } from '../ids.ts';

/** The one channel of PostgreSQL that Nexus uses; a message names its topic. */
export const CHANNEL = 'nexus';

/** The subjects of a notification; `any` when some may have been missed. */
export type Subjects = ReadonlySet<string> | 'any';

export type Notifications = ReturnType<typeof createNotifications>;

/** Subjects by topic. */
type Said = ReadonlyMap<string, ReadonlySet<string>>;

/** Every NOTIFY is a commit of its own, so within this time of one the next ones gather. */
const GATHER_MS = 5;
/** A message may have 8,000 bytes. */
const SUBJECTS_PER_MESSAGE = 100;

/** Notifications between processes after a commit. Losing one costs time and no work: polling finds the same. */
export function createNotifications(send: (messages: string[]) => Promise<unknown>) {
  const origin = newId();
  const listeners = new EventEmitter().setMaxListeners(0);
  const topics = new Set<string>();
  const sentAt = new Map<string, number>();
  const gathered = new Map<string, Set<string>>();
  let timer: NodeJS.Timeout | undefined;

  function gather(topic: string, subjects: ReadonlySet<string>): void {
    const known = gathered.get(topic) ?? new Set();
    for (const subject of subjects) known.add(subject);
    gathered.set(topic, known);
    timer ??= setTimeout(sendGathered, GATHER_MS);
  }

  function sendGathered(): void {
    timer = undefined;
    const messages = [...gathered].flatMap(([topic, subjects]) => messagesOf(topic, subjects));
    for (const topic of gathered.keys()) sentAt.set(topic, performance.now());
    gathered.clear();
    // A lost notification only delays its listeners until their next poll.
    send(messages).catch(() => undefined);
  }

  function messagesOf(topic: string, subjects: ReadonlySet<string>): string[] {
    const all = [...subjects];
    const messages = [];
    for (let i = 0; i === 0 || i < all.length; i += SUBJECTS_PER_MESSAGE)
      messages.push([origin, topic, ...all.slice(i, i + SUBJECTS_PER_MESSAGE)].join(' '));
    return messages;
  }

  return {
    /** Returns the messages to send right behind a commit. Messages soon after others are sent together later. */
    behindCommit(said: Said): string[] {
      const now = performance.now();
      return [...said].flatMap(([topic, subjects]) => {
        if (now - (sentAt.get(topic) ?? Number.NEGATIVE_INFINITY) > GATHER_MS) {
          sentAt.set(topic, now);
          return messagesOf(topic, subjects);
        }
        gather(topic, subjects);
        return [];
      });
    },
    /** Tells listeners in this process, which need not wait for the database. */
    tellHere(said: Said): void {
      for (const [topic, subjects] of said) listeners.emit(topic, subjects);
    },
    on(topic: string, listener: (subjects: Subjects) => void): () => void {
      topics.add(topic);
      listeners.on(topic, listener);
      return () => listeners.off(topic, listener);
    },
    /** Tells listeners in this process what a message of another process says. */
    hear(message: string): void {
      const [from, topic = '', ...subjects] = message.split(' ');
      if (from !== origin) listeners.emit(topic, new Set(subjects));
    },
    /** Tells listeners that messages may have been missed. */
    missed(): void {
      for (const topic of topics) listeners.emit(topic, 'any');
    },
    close: () => clearTimeout(timer),
  };
}
