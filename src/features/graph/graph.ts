import type { RelatedMedia } from '../../contract/graph.ts';
import type { Database } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import { emitEvents, type NewEvent } from '../../platform/outbox/emit-event.ts';
import { mayRead, type Viewer } from '../libraries/can-read-media.ts';
import { mediaNotFound } from '../media/media.ts';
import { PROJECTOR, type Projector } from './projector.ts';
import { findRelated } from './related-store.ts';
import * as store from './store.ts';

export interface GraphDependencies {
  sql: Database;
  projector: Pick<Projector, 'project'>;
}

export type Graph = ReturnType<typeof createGraph>;

/** Documents, what they mention, and where they link to. */
export function createGraph({ sql, projector }: GraphDependencies) {
  async function keep(documents: store.Projected[]): Promise<void> {
    if (documents.length === 0) return;
    await transaction(sql, async (tx) => {
      const held = await store.holdMedia(
        tx,
        documents.map(({ media_id }) => media_id),
      );
      await store.writeProjections(
        tx,
        PROJECTOR,
        documents.filter(({ media_id }) => held.has(media_id)),
      );
      await emitEvents(tx, [...held].map(projectedEvent));
    });
  }

  return {
    keep,

    /** Puts a document in its place, whether it is there already or not. False when it cannot be read (any more). */
    async project(mediaId: string, signal?: AbortSignal): Promise<boolean> {
      const [source] = await store.listSources(sql, [mediaId]);
      const [projection] = source ? await projector.project([source], signal) : [];
      if (!source || !projection) {
        await store.deleteProjection(sql, mediaId);
        return false;
      }
      await keep([{ ...source, ...projection }]);
      return true;
    },

    async related(viewer: Viewer, mediaId: string, limit: number): Promise<RelatedMedia[]> {
      if (!(await mayRead(sql, viewer, mediaId))) mediaNotFound();
      return findRelated(sql, viewer, mediaId, limit);
    },
  };
}

function projectedEvent(mediaId: string): NewEvent {
  return {
    eventType: 'media.projected',
    aggregateType: 'media',
    aggregateId: mediaId,
    payload: { media_id: mediaId },
    idempotencyKey: `media:${mediaId}:${newId()}`,
  };
}
