import type { MediaKind } from '../../contract/media.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { Creator } from '../../platform/jobs/creator.ts';
import type { Viewer } from '../libraries/can-read-media.ts';
import { addAllToDefaultLibrary } from '../libraries/closure.ts';
import type { LibraryMediaService } from '../libraries/library-media.ts';
import { tellMediaCreated } from './events.ts';
import type { Ingest } from './ingest.ts';
import { retryIfFailed } from './lifecycle.ts';
import * as store from './store.ts';

export interface SaveLinksDependencies {
  ingest: Pick<Ingest, 'enqueueExtractions' | 'enqueueEmbedding'>;
  libraryMedia: Pick<LibraryMediaService, 'addAll'>;
}

export interface SaveLinksOptions {
  libraryId: string | undefined;
  /** When the viewer saved them elsewhere, by key, where that is known. */
  savedAt: ReadonlyMap<string, Date>;
  createdBy: Creator | undefined;
  requestId: string | undefined;
}

export interface SavedLink {
  media_id: string;
  created: boolean;
}

/** Below what people save one by one, so that nobody waits for somebody's ten thousand. */
const PRIORITY = 4;

/**
 * Saves many links as `POST /media/from_url` saves one, in the caller's transaction: into the viewer's default library,
 * and into a library that they are an admin of; the extraction of what is new, or had failed, is queued with it. Returns
 * what became of each key.
 */
export async function saveLinks(
  tx: Transaction,
  viewer: Viewer,
  links: store.NewUrlMedia[],
  { ingest, libraryMedia }: SaveLinksDependencies,
  { libraryId, savedAt, createdBy, requestId }: SaveLinksOptions,
): Promise<Map<string, SavedLink>> {
  const wanted = new Map(links.map((link) => [store.keyOf(link), link]));
  const created: Awaited<ReturnType<typeof store.insertUrlMedia>> = [];
  const known: Awaited<ReturnType<typeof store.holdByUrl>> = [];
  const saved = new Map<string, SavedLink>();
  // What stood in the way of a new one may have been purged before it could be held: then it is made after all.
  while (saved.size < wanted.size) {
    const missing = () => [...wanted].filter(([key]) => !saved.has(key)).map(([, link]) => link);
    for (const media of await store.insertUrlMedia(tx, missing())) {
      created.push(media);
      saved.set(store.keyOf(media), { media_id: media.id, created: true });
    }
    for (const media of await store.holdByUrl(tx, missing())) {
      known.push(media);
      saved.set(store.keyOf(media), { media_id: media.id, created: false });
    }
  }

  const ids = [...saved.values()].map(({ media_id }) => media_id);
  if (libraryId !== undefined) await libraryMedia.addAll(tx, viewer, libraryId, ids, requestId);
  const since = [...saved.keys()].map((key) => savedAt.get(key) ?? null);
  await addAllToDefaultLibrary(tx, viewer.default_library_id, ids, viewer.user_id, since);
  const said = created.map(({ id, kind }) => ({ media_id: id, kind, created_by_user_id: viewer.user_id }));
  await tellMediaCreated(tx, said, requestId);

  const options = { createdBy, requestId, priority: PRIORITY };
  const again: { id: string; kind: MediaKind }[] = [];
  for (const { id, kind } of known.filter(({ processing_status }) => processing_status === 'failed')) {
    const from = await retryIfFailed(tx, id);
    if (from === 'pending') again.push({ id, kind });
    if (from === 'ready_for_reading') await ingest.enqueueEmbedding(tx, id, { createdBy, requestId });
  }
  await ingest.enqueueExtractions(tx, [...created, ...again], options);
  return saved;
}
