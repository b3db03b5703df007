import { NexusError } from '../contract/errors.ts';

export interface SlotLimits {
  /** At once, whoever they are for. */
  inAll: number;
  perPerson: number;
  /** How many may wait for each person, and for how long. */
  waitingPerPerson: number;
  waitMs: number;
}

interface Waiting {
  person: string;
  start(): void;
}

export type Slots = ReturnType<typeof createSlots>;

/**
 * Limits how much work of one kind this process does at once, for each person and in all. What comes on top waits for a
 * moment; what would wait for too long, or behind too many others, is refused with `E_RATE_LIMITED`.
 */
export function createSlots({ inAll, perPerson, waitingPerPerson, waitMs }: SlotLimits) {
  const running = new Map<string, number>();
  let total = 0;
  let queue: Waiting[] = [];

  const isFree = (person: string) => total < inAll && (running.get(person) ?? 0) < perPerson;

  function take(person: string): void {
    total += 1;
    running.set(person, (running.get(person) ?? 0) + 1);
  }

  function giveBack(person: string): void {
    total -= 1;
    const left = (running.get(person) ?? 1) - 1;
    if (left > 0) running.set(person, left);
    else running.delete(person);
    const next = queue.find((waiting) => isFree(waiting.person));
    if (!next) return;
    queue = queue.filter((waiting) => waiting !== next);
    next.start();
  }

  function wait(person: string): Promise<void> {
    if (queue.filter((waiting) => waiting.person === person).length >= waitingPerPerson) tooMany(waitMs);
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        person,
        start() {
          clearTimeout(timer);
          take(person);
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
      if (isFree(person)) take(person);
      else await wait(person);
      try {
        return await work();
      } finally {
        giveBack(person);
      }
    },
  };
}

function rateLimited(waitMs: number): NexusError {
  return new NexusError(
    'E_RATE_LIMITED',
    'Too many requests of this kind are under way. Try again shortly.',
    {
      retryAfterSeconds: Math.ceil(waitMs / 1000),
    },
  );
}

function tooMany(waitMs: number): never {
  throw rateLimited(waitMs);
}
