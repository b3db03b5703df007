import { removalStore } from '../library/removals.ts';
import { forgetAllPlaces } from '../reader/place-outbox.ts';
import { saveStore } from '../saving/saves.ts';
import { clearToasts } from '../ui/toasts.tsx';

let current: string | undefined;

/** Forgets what the page keeps of a person besides the answers of the server: saves, removals, places, and messages. */
export function forgetPerson(): void {
  saveStore.set([]);
  removalStore.set([]);
  forgetAllPlaces();
  clearToasts();
}

/** Called before the pages of a person are shown. Whoever signs in again after the end of their session keeps their saves. */
export function showPagesOf(userId: string): void {
  if (current !== undefined && current !== userId) forgetPerson();
  current = userId;
}
