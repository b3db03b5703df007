import { z } from 'zod';
import { id } from '../../contract/wire.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { defineJobType, MAINTENANCE_QUEUE } from '../../platform/jobs/job-type.ts';
import type { Periodic } from '../../platform/jobs/periodic/periodic.ts';
import { enqueueMany, type NewJob } from '../../platform/jobs/submit/enqueue.ts';
import { defineSubscriber } from '../../platform/outbox/subscriber.ts';
import type { RunByCost } from '../../platform/processes/by-cost.ts';
import { emitHighlightEvent } from './events.ts';
import * as store from './placement-store.ts';
import { quoteAt } from './quote.ts';
import { textOfRange } from './running-text.ts';
import type { highlightWork } from './work.ts';

const LOST_AT_ONCE = 100;
const QUEUED_AT_ONCE = 1000;
const EVERY_SECONDS = 600;

/** Finds the passages of highlights again after the text of their media was replaced. */
export function createPlacement({ sql, run }: { sql: Database; run: RunByCost<typeof highlightWork> }) {
  /** Places highlights of a media. Returns how many were found, and how many are lost. */
  async function place(mediaId: string, signal?: AbortSignal) {
    const fragments = await store.listFragments(sql, mediaId);
    const length = fragments.reduce((sum, { canonical_text }) => sum + canonical_text.length, 0);
    const counts = { placed: 0, lost: 0 };
    for (let after: string | null = null; ; ) {
      const lost = await store.listUnplaced(sql, mediaId, after, LOST_AT_ONCE);
      const last = lost.at(-1);
      if (!last) return counts;
      after = last.id;
      // Similar words are looked for with several steps for each character.
      const cost = length * lost.reduce((sum, { exact }) => sum + 1 + exact.length / 10, 0);
      const found = await run('highlights.place', { lost, fragments }, { cost, signal });
      const placed = lost.flatMap(({ id: highlightId }, index) => {
        const range = found[index];
        const first = fragments.findIndex(({ idx }) => idx === range?.fragment_idx);
        const fragment = fragments[first];
        const text = range && fragment && textOfRange(fragments.slice(first), range);
        if (!text) return [];
        return { id: highlightId, fragment_id: fragment.id, ...range, ...quoteAt(text, range) };
      });
      counts.placed += placed.length;
      counts.lost += lost.length - placed.length;
      await transaction(sql, async (tx) => {
        // The text may have been replaced again; the next job finds that one.
        const held = await store.holdFragments(tx, fragments);
        if (held !== fragments.length) return;
        await store.placeMany(tx, placed);
        await store.markLost(
          tx,
          lost.filter((_, index) => !found[index]),
        );
      });
    }
  }

  const type = defineJobType('place_highlights', {
    queue: 'ingest',
    payload: z.strictObject({ media_id: id }),
    handler: async ({ media_id }, { signal }) => ({ result: await place(media_id, signal) }),
  });

  const jobOf = (media_id: string, idempotencyKey?: string) =>
    ({ type, payload: { media_id }, idempotencyKey }) as NewJob;

  /** Queues media that were extracted anew, and those that highlights have moved to or were imported for. */
  const subscriber = defineSubscriber('highlights', {
    eventTypes: ['media.ready', 'highlight.updated', 'highlight.created'],
    async batchHandler(events) {
      const isText = ({ event_type }: { event_type: string }) => event_type === 'media.ready';
      const idsOf = (some: typeof events) => some.map(({ payload }) => payload.media_id);
      const changed = idsOf(events.filter((event) => !isText(event)));
      const concerned = new Set([
        ...(await store.listWithUnplaced(sql, idsOf(events.filter(isText)))),
        ...(await store.listUnsought(sql, { mediaIds: changed, limit: events.length })),
      ]);
      // One job for each media, however many of its highlights were imported at once.
      const lastEvents = new Map(events.map(({ id: eventId, payload }) => [payload.media_id, eventId]));
      const jobs = [...lastEvents]
        .filter(([mediaId]) => concerned.has(mediaId))
        .map(([mediaId, eventId]) => jobOf(mediaId, eventId));
      if (jobs.length > 0) await transaction(sql, (tx) => enqueueMany(tx, jobs));
    },
  });

  /** Queues media whose highlights were not looked for since their text was replaced, because a job failed. */
  const missed: Periodic = {
    type: defineJobType('missed_placements', {
      queue: MAINTENANCE_QUEUE,
      payload: z.strictObject({}),
      async handler() {
        const hour = new Date().toISOString().slice(0, 13);
        const mediaIds = await store.listUnsought(sql, { limit: QUEUED_AT_ONCE });
        const jobs = mediaIds.map((mediaId) => jobOf(mediaId, `missed:${mediaId}:${hour}`));
        const queued = await transaction(sql, (tx) => enqueueMany(tx, jobs));
        return { result: { queued: queued.filter(({ created }) => created).length } };
      },
    }),
    everySeconds: EVERY_SECONDS,
  };

  return { place, type, subscriber, periodic: [missed] };
}

/**
 * Called by media when one replaces another. The highlights move with their shares and replies, and are looked for in the
 * other text.
 */
export async function moveHighlights(tx: Transaction, fromId: string, toId: string): Promise<void> {
  const moved = await store.moveHighlights(tx, fromId, toId);
  for (const { is_private, ...highlight } of moved) {
    const own = { former_library_ids: [], is_private };
    await emitHighlightEvent(tx, 'highlight.updated', highlight, { own, actor: {} });
  }
}
