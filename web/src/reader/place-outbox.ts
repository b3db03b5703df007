import type { QueryClient } from '@tanstack/react-query';
import { ApiError, api } from '../api/client.ts';
import type { MediaWithOutline, Reading } from '../api/types.ts';
import { patchMedia } from '../library/media-list.ts';
import { mediaQuery } from '../library/queries.ts';
import { type Place, placeOf } from './place.ts';
import { confirmPlace, forgetUnsent, keepUnsent, readUnsent } from './unsent-places.ts';

/** The place that this tab has stored last for a media. */
interface Entry {
  place: Place;
  /** When the server stored the place that this one replaces, by its clock. Null when there was none. */
  base: string | null;
  /** When the server stored it, by its clock. Undefined while it has not answered. */
  confirmedAt: string | undefined;
  /** Ends the request in flight. */
  sending: AbortController | undefined;
  sent: Promise<void>;
  failures: number;
  retry: ReturnType<typeof setTimeout> | undefined;
}

const entries = new Map<string, Entry>();
const RETRY_MS = 4000;
const LONGEST_RETRY_MS = 60_000;

type OpenMedia = Pick<MediaWithOutline, 'id' | 'reading'>;

/** Whether this tab knows a newer place than the answer of the server, which may have been on its way for a while. */
function isOutdated({ id, reading }: OpenMedia): boolean {
  const entry = entries.get(id);
  if (!entry) return false;
  if (entry.confirmedAt === undefined) return true;
  return reading !== null && Date.parse(reading.updated_at) < Date.parse(entry.confirmedAt);
}

/** Returns the newest place that this tab knows: the one that it has stored last, or the one on the server. */
export function latestPlace(media: OpenMedia): Place | undefined {
  return isOutdated(media) ? entries.get(media.id)?.place : placeOf(media);
}

/**
 * Returns a place that a tab could not send before it was closed. It counts only if the server has stored nothing since, so
 * `media` must be a fresh answer.
 */
export function unsentPlace(media: OpenMedia, user: string): Place | undefined {
  const unsent = entries.has(media.id) ? undefined : readUnsent(user, media.id);
  if (!unsent) return undefined;
  const isNewest = unsent.base === (media.reading?.updated_at ?? null);
  if (isNewest) return unsent.place;
  forgetUnsent(user, media.id);
  return undefined;
}

interface PlaceOptions {
  queryClient: QueryClient;
  user: string;
  media: OpenMedia;
}

/** Keeps a place on the device until it is stored: a browser may end a tab without giving it time to send anything. */
export function notePlace(place: Place, { queryClient, user, media: { id } }: PlaceOptions): void {
  const entry = entries.get(id);
  const base = entry && entry.confirmedAt === undefined ? entry.base : storedAt(queryClient, id);
  keepUnsent(user, id, { place, base });
}

/** Returns when the server stored the place that this tab has received from it, by the server's clock. */
const storedAt = (queryClient: QueryClient, id: string) =>
  queryClient.getQueryData<MediaWithOutline>(mediaQuery(id).queryKey)?.reading?.updated_at ?? null;

interface StoreOptions extends PlaceOptions {
  /** Whether the page is being left: the place cannot wait for the answer to an earlier one. */
  isLeaving: boolean;
}

/** Stores a place. It is sent again until the server has it, and kept on the device until then. */
export function storePlace(place: Place, { queryClient, user, media, isLeaving }: StoreOptions): void {
  const { id } = media;
  const known = entries.get(id);
  const before = queryClient.getQueryData<MediaWithOutline>(mediaQuery(id).queryKey)?.reading ?? null;
  const entry: Entry = known ?? {
    place,
    base: before?.updated_at ?? null,
    confirmedAt: undefined,
    sending: undefined,
    sent: Promise.resolve(),
    failures: 0,
    retry: undefined,
  };
  // Another device may have stored a place since this tab did.
  if (entry.confirmedAt !== undefined) entry.base = before?.updated_at ?? null;
  Object.assign(entry, { place, confirmedAt: undefined });
  entries.set(id, entry);
  // Lists show it at once. The time stays that of the server, to which later answers are compared.
  const updated_at = before?.updated_at ?? new Date().toISOString();
  patchMedia(queryClient, { id, reading: { finished_at: null, ...before, ...place, updated_at } });
  keepUnsent(user, id, entry);
  if (isLeaving) {
    entry.sending?.abort();
    entry.sending = undefined;
  }
  entry.sent = send(queryClient, user, id);
}

/** Sends the place of a media, and those that replace it meanwhile, one after another. */
async function send(queryClient: QueryClient, user: string, id: string): Promise<void> {
  const entry = entries.get(id);
  if (!entry) return;
  if (entry.sending) return entry.sent;
  clearTimeout(entry.retry);
  const sending = new AbortController();
  entry.sending = sending;
  try {
    while (entry.confirmedAt === undefined) {
      const { place } = entry;
      // The tab may be closed before the answer: the request must outlive it.
      const options = { keepalive: true, signal: sending.signal };
      const reading = await api.putData<NonNullable<Reading>>(`/media/${id}/reading`, place, options);
      entry.base = reading.updated_at;
      entry.failures = 0;
      confirmPlace(user, id, { place, base: reading.updated_at });
      if (entry.place !== place) continue;
      entry.confirmedAt = reading.updated_at;
      patchMedia(queryClient, { id, reading });
    }
  } catch (error) {
    if (sending.signal.aborted) return;
    if (!mayRetry(error)) {
      entries.delete(id);
      // The device keeps the place until the same person signs in again.
      if (!(error instanceof ApiError && error.isSignedOut)) forgetUnsent(user, id);
      return;
    }
    const delay = Math.min(LONGEST_RETRY_MS, RETRY_MS * 2 ** entry.failures);
    entry.failures += 1;
    entry.retry = setTimeout(() => {
      entry.sent = send(queryClient, user, id);
    }, delay);
  } finally {
    if (entry.sending === sending) entry.sending = undefined;
  }
}

/** Sends at once what is still unsent, such as when the device is online again. */
export function sendUnsent(queryClient: QueryClient, user: string): void {
  for (const [id, entry] of entries)
    if (entry.confirmedAt === undefined) entry.sent = send(queryClient, user, id);
}

/** Forgets the place of a media that is marked as unread, once no request is in flight that would store it again. */
export async function forgetPlace(user: string, id: string): Promise<void> {
  const entry = entries.get(id);
  await entry?.sent;
  clearTimeout(entry?.retry);
  entries.delete(id);
  forgetUnsent(user, id);
}

/** Forgets the places of a person who signs out, so that nothing is sent for whoever signs in next. The device keeps them. */
export function forgetAllPlaces(): void {
  for (const { sending, retry } of entries.values()) {
    sending?.abort();
    clearTimeout(retry);
  }
  entries.clear();
}

/** Whether a retry can succeed: the server could not be reached, or was busy. */
function mayRetry(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status === 429 || error.status >= 500;
}
