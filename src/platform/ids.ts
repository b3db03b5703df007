import { randomUUID } from 'node:crypto';

let lastMs = 0;
let count = 0;

/**
 * A new id: a UUIDv7, which begins with its time, so ids sort by age and new rows land at the end of their index. Those
 * that one process makes in the same millisecond are counted, so that they sort, too.
 */
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
  // Node.js keeps a store of randomness for this function; asking for a few bytes each time costs ten times as much.
  return `${timePart(lastMs)}-7${count.toString(16).padStart(3, '0')}${randomUUID().slice(18)}`;
}

/** What sorts before every id that was made at this time or later. */
export function firstIdAt(time: Date): string {
  return `${timePart(time.getTime())}-0000-0000-000000000000`;
}

function timePart(ms: number): string {
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}
