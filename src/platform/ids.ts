import { v7 } from 'uuid';

/** A new id. UUIDv7 begins with its time, so ids sort by age and new rows land at the end of their index. */
export function newId(): string {
  return v7();
}

/** What sorts before every id that was made at this time or later. */
export function firstIdAt(time: Date): string {
  const hex = time.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
