import { randomUUID } from 'node:crypto';

let lastMs = 0;
let count = 0;

/** Returns a new UUIDv7. Ids sort by age, also those that one process creates within a millisecond. */
export function newId(): string {
  const now = Date.now();
  if (now > lastMs) {
    lastMs = now;
    count = 0;
  } else if (count < 0xfff) {
    count += 1;
  } else {
    lastMs += 1;
    count = 0;
  }
  // randomUUID uses a cache of random bytes; calling randomBytes each time takes ten times as long.
  return `${timePart(lastMs)}-7${count.toString(16).padStart(3, '0')}${randomUUID().slice(18)}`;
}

/** Returns a new UUIDv7 of another time, for what was created elsewhere. A time in the future, or before 1970, is now. */
export function idAt(time: Date | undefined): string {
  const ms = time?.getTime() ?? -1;
  if (ms < 0 || ms >= Date.now()) return newId();
  return `${timePart(ms)}-7${randomUUID().slice(15)}`;
}

/** Returns a value that sorts before every id created at this time or later. */
export function firstIdAt(time: Date): string {
  return `${timePart(time.getTime())}-0000-0000-000000000000`;
}

function timePart(ms: number): string {
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}
