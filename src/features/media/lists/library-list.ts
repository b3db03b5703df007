import { z } from 'zod';
import type { LibraryMedia } from '../../../contract/libraries.ts';
import type { ListQuery, Page } from '../../../contract/wire.ts';
import { cutByCursor, decodeCursor } from '../../../platform/cursor.ts';
import type { Database } from '../../../platform/database/database.ts';
import { requireMembership } from '../../libraries/access/access.ts';
import type { Viewer } from '../../libraries/access/can-read-media.ts';
import { listLibraryMedia } from './library-list-store.ts';

export type LibraryList = ReturnType<typeof createLibraryList>;

const position = z.object({ added_us: z.int(), media_id: z.uuid() });

/** Lists the media of one library for its members. */
export function createLibraryList({ sql }: { sql: Database }) {
  return async (
    viewer: Viewer,
    libraryId: string,
    { cursor, limit }: ListQuery,
  ): Promise<{ rows: LibraryMedia[]; page: Page }> => {
    const library = await requireMembership(sql, viewer.user_id, libraryId);
    const last = decodeCursor(cursor, position);
    return cutByCursor(await listLibraryMedia(sql, viewer, library, { last, limit: limit + 1 }), limit);
  };
}
