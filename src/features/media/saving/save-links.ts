import type { MediaKind } from '../../../contract/media.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import type { Creator } from '../../../platform/jobs/creator.ts';
import type { Viewer } from '../../libraries/access/can-read-media.ts';
import { addAllToDefaultLibrary } from '../../libraries/closure/closure.ts';
import { lockContents } from '../../libraries/closure/lock-contents.ts';
import type { LibraryMediaService } from '../../libraries/library-media.ts';
import { tellMediaCreated } from '../events.ts';
import type { Ingest } from '../processing/ingest.ts';
import { retryIfFailed } from '../processing/lifecycle.ts';
import * as store from '../store.ts';

export { keyOf, type NewUrlMedia } from '../store.ts';

export interface SaveLinksDependencies {
  ingest: Pick<Ingest, 'enqueueExtractions' | 'enqueueEmbedding'>;
  libraryMedia: Pick<LibraryMediaService, 'addAll'>;
}

export interface SaveLinksOptions {
  /** A library that the viewer is an admin of, and that is to list them. */
  libraryId?: string | undefined;
  /** When the viewer saved them elsewhere, by key, where that is known. */
  savedAt?: ReadonlyMap<string, Date>;
  createdBy: Creator | undefined;
  requestId: string | undefined;
  /** The priority of the jobs that extract them. */
  priority?: number;
}

export interface SavedLink {
  media_id: string;
  created: boolean;
  /** Whether work on it was queued: it is new, or had failed. */
  enqueued: boolean;
}

/** A media may be united with another one between two statements; then its address is free, or another media has it. */
const TRIES = 5;

/**
 * Saves links in the caller's transaction, as its first step: into the viewer's default library, and into a library if one
 * is given. The extraction of what is new, or had failed, is queued with it. Returns what became of each key.
 */
export async function saveLinks(
  tx: Transaction,
  viewer: Viewer,
  links: store.NewUrlMedia[],
  { ingest, libraryMedia }: SaveLinksDependencies,
  { libraryId, savedAt, createdBy, requestId, priority }: SaveLinksOptions,
): Promise<Map<string, SavedLink>> {
  const shared = libraryId === viewer.default_library_id ? undefined : libraryId;
  await lockContents(tx, [viewer.default_library_id, ...(shared === undefined ? [] : [shared])]);
  const wanted = new Map(links.map((link) => [store.keyOf(link), link]));
  const { created, known } = await getOrCreate(tx, wanted);
  const saved = new Map<string, SavedLink>();
  for (const media of created)
    saved.set(store.keyOf(media), { media_id: media.id, created: true, enqueued: false });
  for (const media of known)
    saved.set(store.keyOf(media), { media_id: media.id, created: false, enqueued: false });

  const ids = [...saved.values()].map(({ media_id }) => media_id);
  if (shared !== undefined) await libraryMedia.addAll(tx, viewer, shared, ids, requestId);
  const inDefault = [...saved].map(([key, { media_id }]) => ({
    media_id,
    saved_at: savedAt?.get(key) ?? null,
    requested_url: wanted.get(key)?.requested_url ?? null,
  }));
  await addAllToDefaultLibrary(tx, viewer.default_library_id, inDefault, viewer.user_id, requestId);
  const said = created.map(({ id, kind }) => ({ media_id: id, kind, created_by_user_id: viewer.user_id }));
  await tellMediaCreated(tx, said, requestId);

  const enqueued = new Set<string>();
  const again: { id: string; kind: MediaKind }[] = [];
  for (const { id, kind } of known.filter(({ processing_status }) => processing_status === 'failed')) {
    const from = await retryIfFailed(tx, id);
    if (from === 'pending') again.push({ id, kind });
    if (from !== 'ready_for_reading') continue;
    await ingest.enqueueEmbedding(tx, id, { createdBy, requestId });
    enqueued.add(id);
  }
  const options = { createdBy, requestId, ...(priority !== undefined && { priority }) };
  for (const id of await ingest.enqueueExtractions(tx, [...created, ...again], options)) enqueued.add(id);
  for (const link of saved.values()) link.enqueued = enqueued.has(link.media_id);
  return saved;
}

/** The media of these addresses, held so that they stay. Of many who save one address at once, one creates it. */
async function getOrCreate(tx: Transaction, wanted: ReadonlyMap<string, store.NewUrlMedia>) {
  const created: Awaited<ReturnType<typeof store.insertUrlMedia>> = [];
  const known: Awaited<ReturnType<typeof store.holdByUrl>> = [];
  const missing = new Map(wanted);
  for (let tries = 0; missing.size > 0; tries++) {
    if (tries === TRIES) throw new Error('Media that stood in the way of others keep going.');
    const inserted = await store.insertUrlMedia(tx, [...missing.values()]);
    for (const media of inserted) missing.delete(store.keyOf(media));
    const held = await store.holdByUrl(tx, [...missing.values()]);
    for (const media of held) missing.delete(store.keyOf(media));
    created.push(...inserted);
    known.push(...held);
  }
  return { created, known };
}
