import type { Transaction } from '../../../platform/database/database.ts';
import type { EnqueueOptions } from '../../../platform/jobs/submit/enqueue.ts';
import type { Viewer } from '../../libraries/access/can-read-media.ts';
import { lockAddition, lockContents } from '../../libraries/closure/lock-contents.ts';
import { addMedia } from '../../libraries/library-media.ts';
import { emitMediaEvents } from '../events.ts';
import type { Ingest } from '../processing/ingest.ts';
import * as store from './store.ts';
import { type Link, linkKey } from './url.ts';

/** `priority` is that of the extraction jobs. */
export interface SaveLinksOptions extends Pick<EnqueueOptions, 'createdBy' | 'requestId' | 'priority'> {
  ingest: Pick<Ingest, 'enqueueProcessing' | 'hasJob'>;
  /** A library that lists the media too. The viewer must be its admin or contributor. */
  libraryId?: string | undefined;
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
  { ingest, libraryId, ...options }: SaveLinksOptions,
): Promise<Map<string, SavedLink>> {
  const { requestId } = options;
  const libraryIds = [...new Set([libraryId ?? viewer.default_library_id, viewer.default_library_id])];
  planOnce(tx);
  const [link, ...others] = links;
  if (link && others.length === 0) await lockAddition(tx, libraryIds, linkKey(link));
  else await lockContents(tx, libraryIds);
  const byKey = new Map(links.map((link) => [linkKey(link), link]));
  const { created, known } = await getOrCreate(tx, byKey, {
    createdBy: viewer.user_id,
    hasJob: ingest.hasJob,
  });
  const found = [...created, ...known];

  const media = found.map((each) => {
    const { saved_at, requested_url } = byKey.get(linkKey(each)) ?? {};
    return { media_id: each.id, saved_at: saved_at ?? null, requested_url: requested_url ?? null };
  });
  // The shared library first: locks on shared libraries come before those on rows of default libraries.
  for (const id of libraryIds) await addMedia(tx, viewer, { libraryId: id, media, requestId });
  const created_by_user_id = viewer.user_id;
  const payloads = created.map(({ id: media_id, kind }) => ({ media_id, kind, created_by_user_id }));
  await emitMediaEvents(tx, 'media.created', payloads, requestId);

  const failed = known.filter(({ processing_status }) => processing_status === 'failed');
  const enqueued = new Set(await ingest.enqueueProcessing(tx, [...created, ...failed], options));
  return new Map(
    found.map((each, index) => [
      linkKey(each),
      { media_id: each.id, created: index < created.length, enqueued: enqueued.has(each.id) },
    ]),
  );
}

/**
 * Lets PostgreSQL keep the plans of the statements in this transaction. Its own choice is to plan some of them for each save,
 * because a list of one link promises a cheaper plan than a list of unknown length. It is the same plan.
 */
function planOnce(tx: Transaction): void {
  tx.send(tx`select set_config('plan_cache_mode', 'force_generic_plan', true)`);
}

/** Finds or creates the media of links and keeps them from being deleted. Of parallel savers, one creates it. */
async function getOrCreate(
  tx: Transaction,
  links: ReadonlyMap<string, Link>,
  creation: Parameters<typeof store.insertLinks>[2],
) {
  const created: store.CreatedMedia[] = [];
  const known: store.LinkMedia[] = [];
  const missing = new Map(links);
  for (let tries = 0; missing.size > 0; tries++) {
    if (tries === MAX_TRIES)
      throw new Error('The media of a link was deleted again and again while it was saved.');
    created.push(...(await store.insertLinks(tx, [...missing.values()], creation)));
    for (const media of created) missing.delete(linkKey(media));
    if (missing.size === 0) break;
    known.push(...(await store.holdKnownLinks(tx, [...missing.values()])));
    for (const media of known) missing.delete(linkKey(media));
  }
  return { created, known };
}
