import type { Transaction } from '../../../platform/database/database.ts';
import type { Creator } from '../../../platform/jobs/job-type.ts';
import type { Viewer } from '../../libraries/access/can-read-media.ts';
import { lockContents } from '../../libraries/closure/lock-contents.ts';
import { addMedia } from '../../libraries/library-media.ts';
import { emitMediaEvents } from '../events.ts';
import { enqueueFrom, retryFailed } from '../processing/enqueue-from.ts';
import type { Ingest } from '../processing/ingest.ts';
import { type Link, linkKey } from './link.ts';
import * as store from './link-store.ts';

export interface SaveLinksOptions {
  ingest: Pick<Ingest, 'enqueueExtractions' | 'enqueueIndexing'>;
  /** A library that lists the media too. The viewer must be its admin. */
  libraryId?: string | undefined;
  createdBy: Creator | undefined;
  requestId: string | undefined;
  /** The priority of the extraction jobs. */
  priority?: number;
}

export interface SavedLink {
  media_id: string;
  created: boolean;
  /** Whether a job was enqueued: the media is new, or had failed. */
  enqueued: boolean;
}

/** The bound on tries to find or create a media that is deleted between the two statements, each time. */
const MAX_TRIES = 5;

/**
 * Saves links in the viewer's default library, and in another library if one is given. New media, and those that had
 * failed, are enqueued for extraction. Must be the first step of the caller's transaction, because it takes locks in the
 * order of docs/libraries.md. Returns the outcome for each `linkKey`.
 */
export async function saveLinks(
  tx: Transaction,
  viewer: Viewer,
  links: Link[],
  { ingest, libraryId, createdBy, requestId, priority }: SaveLinksOptions,
): Promise<Map<string, SavedLink>> {
  const libraryIds = [...new Set([libraryId ?? viewer.default_library_id, viewer.default_library_id])];
  await lockContents(tx, libraryIds);
  const byKey = new Map(links.map((link) => [linkKey(link), link]));
  const { created, known } = await getOrCreate(tx, byKey, viewer.user_id);

  const media = [...created, ...known].map((found) => {
    const { saved_at, requested_url } = byKey.get(linkKey(found)) ?? {};
    return { media_id: found.id, saved_at: saved_at ?? null, requested_url: requested_url ?? null };
  });
  // The shared library first: locks on shared libraries come before those on rows of default libraries.
  for (const id of libraryIds) await addMedia(tx, viewer, { libraryId: id, media, requestId });
  const payloads = created.map(({ id, kind }) => ({
    media_id: id,
    kind,
    created_by_user_id: viewer.user_id,
  }));
  await emitMediaEvents(tx, 'media.created', payloads, requestId);

  const options = { createdBy, requestId, ...(priority !== undefined && { priority }) };
  const isNew = created.map(({ id, kind }) => ({ id, kind, from: 'pending' as const }));
  const hasFailed = known.filter(({ processing_status }) => processing_status === 'failed');
  const enqueued = new Set([
    ...(await retryFailed(tx, ingest, hasFailed, options)),
    ...(await enqueueFrom(tx, ingest, isNew, options)),
  ]);
  const outcome = (found: store.LinkMedia, isCreated: boolean): [string, SavedLink] => [
    linkKey(found),
    { media_id: found.id, created: isCreated, enqueued: enqueued.has(found.id) },
  ];
  return new Map([
    ...created.map((found) => outcome(found, true)),
    ...known.map((found) => outcome(found, false)),
  ]);
}

/**
 * Finds or creates the media of links, and keeps them from being deleted. When many people save one link at once, one of
 * them creates it.
 */
async function getOrCreate(tx: Transaction, links: ReadonlyMap<string, Link>, createdBy: string) {
  const created: Awaited<ReturnType<typeof store.insertLinks>> = [];
  const known: Awaited<ReturnType<typeof store.holdKnownLinks>> = [];
  const missing = new Map(links);
  for (let tries = 0; missing.size > 0; tries++) {
    if (tries === MAX_TRIES)
      throw new Error('The media of a link was deleted again and again while it was saved.');
    const inserted = await store.insertLinks(tx, [...missing.values()], createdBy);
    for (const media of inserted) missing.delete(linkKey(media));
    const held = await store.holdKnownLinks(tx, [...missing.values()]);
    for (const media of held) missing.delete(linkKey(media));
    created.push(...inserted);
    known.push(...held);
  }
  return { created, known };
}
