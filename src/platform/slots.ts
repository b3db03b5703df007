import { NexusError } from '../contract/errors.ts';

interface SlotLimits {
  /** The maximum in parallel, over all people. */
  total: number;
  perPerson: number;
  /** The maximum number of waiting requests per person, and their maximum wait. */
  waitingPerPerson: number;
  waitMs: number;
}

interface Waiting {
  person: string;
  start(): void;
}

/** Limits parallel work of one kind, per person and in total. Work that would wait too long is refused. */
export function createSlots({ total, perPerson, waitingPerPerson, waitMs }: SlotLimits) {
  const running = new Map<string, number>();
  let used = 0;
  let queue: Waiting[] = [];

  const isFree = (person: string) => used < total && (running.get(person) ?? 0) < perPerson;

  function acquire(person: string): void {
    used += 1;
    running.set(person, (running.get(person) ?? 0) + 1);
  }

  function release(person: string): void {
    used -= 1;
    const left = (running.get(person) ?? 1) - 1;
    if (left > 0) running.set(person, left);
    else running.delete(person);
    const next = queue.find((waiting) => isFree(waiting.person));
    if (!next) return;
    queue = queue.filter((waiting) => waiting !== next);
    next.start();
  }

  function wait(person: string): Promise<void> {
    if (queue.filter((waiting) => waiting.person === person).length >= waitingPerPerson) {
      throw rateLimited(waitMs);
    }
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        person,
        start() {
          clearTimeout(timer);
          acquire(person);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        queue = queue.filter((other) => other !== waiting);
        reject(rateLimited(waitMs));
      }, waitMs);
      queue.push(waiting);
    });
  }

  return {
    async run<T>(person: string, work: () => Promise<T>): Promise<T> {
      if (isFree(person)) acquire(person);
      else await wait(person);
      try {
        return await work();
      } finally {
        release(person);
      }
    },
  };
}

function rateLimited(waitMs: number): NexusError {
  const message = 'Too many requests of this kind are running. Try again in a moment.';
  return new NexusError('E_RATE_LIMITED', message, { retryAfterSeconds: Math.ceil(waitMs / 1000) });
}
