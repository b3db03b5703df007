import { v7 } from 'uuid';

/** A new id. UUIDv7 begins with its time, so ids sort by age and new rows land at the end of their index. */
export function newId(): string {
  return v7();
}
