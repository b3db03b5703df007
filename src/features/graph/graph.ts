import type { RelatedMedia } from '../../contract/graph.ts';
import type { Database } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { emitEvents, type NewEvent } from '../../platform/outbox/emit-event.ts';
import { requireReadable } from '../libraries/access/access.ts';
import type { Viewer } from '../libraries/access/can-read-media.ts';
import { holdMedia } from '../libraries/closure/lock-contents.ts';
import { PROJECTOR, type Projector } from './projector.ts';
import { findRelated } from './related-store.ts';
import * as store from './store.ts';

export interface GraphDependencies {
  sql: Database;
  projector: Pick<Projector, 'project'>;
}

export type Graph = ReturnType<typeof createGraph>;

/** The graph of documents, the entities they mention and the addresses they link to. */
export function createGraph({ sql, projector }: GraphDependencies) {
  async function keep(documents: store.Projected[]): Promise<void> {
    if (documents.length === 0) return;
    await transaction(sql, async (tx) => {
      const ids = documents.map(({ media_id }) => media_id);
      const held = await holdMedia(tx, ids);
      const existing = documents.filter(({ media_id }) => held.has(media_id));
      await store.writeProjections(tx, PROJECTOR, existing);
      await emitEvents(tx, [...held].map(projectedEvent));
    });
  }

  return {
    keep,

    /** Writes a document to the graph, or replaces it. False when it cannot be read (any more). */
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
      await requireReadable(sql, viewer, mediaId);
      return findRelated(sql, viewer, mediaId, limit);
    },
  };
}

function projectedEvent(mediaId: string): NewEvent {
  const payload = { media_id: mediaId };
  return { eventType: 'media.projected', aggregateType: 'media', aggregateId: mediaId, payload };
}
