import type { RelatedMedia } from '../../contract/graph.ts';
import type { Database } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { mayRead, type Viewer } from '../libraries/can-read-media.ts';
import { mediaNotFound } from '../media/media.ts';
import { PROJECTOR, type Projection, type Projector } from './projector.ts';
import * as store from './store.ts';

export interface GraphDependencies {
  sql: Database;
  projector: Pick<Projector, 'project'>;
}

export type Graph = ReturnType<typeof createGraph>;

/** Documents, what they mention, and where they link to. */
export function createGraph({ sql, projector }: GraphDependencies) {
  async function keep(mediaId: string, projection: Projection): Promise<void> {
    await transaction(sql, async (tx) => {
      if (await store.holdMedia(tx, mediaId)) await store.writeProjection(tx, mediaId, PROJECTOR, projection);
    });
  }

  async function forget(mediaId: string): Promise<void> {
    await transaction(sql, (tx) => store.deleteProjection(tx, mediaId));
  }

  return {
    keep,
    forget,

    /** Puts a document in its place, whether it is there already or not. False when it cannot be read (any more). */
    async project(mediaId: string, signal?: AbortSignal): Promise<boolean> {
      const [source] = await store.listSources(sql, [mediaId]);
      const [projection] = source ? await projector.project([source], signal) : [];
      if (!projection) {
        await forget(mediaId);
        return false;
      }
      await keep(mediaId, projection);
      return true;
    },

    async related(viewer: Viewer, mediaId: string, limit: number): Promise<RelatedMedia[]> {
      if (!(await mayRead(sql, viewer, mediaId))) mediaNotFound();
      return store.findRelated(sql, viewer, mediaId, limit);
    },
  };
}
