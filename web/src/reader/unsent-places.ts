import { isSamePosition, type Place } from './place.ts';

/** Places that the server has not confirmed, on this device: they outlive a tab that is killed, or closed without a connection. */
const KEY = 'nexus.places';
const MOST = 50;

interface Unsent {
  place: Place;
  base: string | null;
}

/** Each person on this device has places of their own. */
const nameOf = (user: string, id: string) => `${user} ${id}`;

function readAll(): Record<string, Unsent> {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    return typeof kept === 'object' && kept !== null ? kept : {};
  } catch {
    return {};
  }
}

function writeAll(all: Record<string, Unsent>): void {
  try {
    const newest = Object.entries(all).slice(-MOST);
    if (newest.length === 0) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(newest)));
  } catch {
    // Without storage, a place that cannot be sent lives as long as its tab.
  }
}

export function keepUnsent(user: string, id: string, { place, base }: Unsent): void {
  const { [nameOf(user, id)]: _, ...others } = readAll();
  writeAll({ ...others, [nameOf(user, id)]: { place, base } });
}

/** Returns a person's unsent place. */
export function readUnsent(user: string, id: string): Unsent | undefined {
  const unsent = readAll()[nameOf(user, id)];
  return typeof unsent?.place?.position === 'object' ? unsent : undefined;
}

export function forgetUnsent(user: string, id: string): void {
  const { [nameOf(user, id)]: _, ...others } = readAll();
  writeAll(others);
}

/** Forgets a place that the server has stored. A newer one that is still unsent stays, and is now based on the stored one. */
export function confirmPlace(user: string, id: string, { place, base }: Unsent): void {
  const unsent = readUnsent(user, id);
  if (!unsent) return;
  if (isSamePosition(unsent.place.position, place.position)) forgetUnsent(user, id);
  else keepUnsent(user, id, { place: unsent.place, base });
}
