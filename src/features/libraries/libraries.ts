import { NexusError } from '../../contract/errors.ts';
import type { Library } from '../../contract/libraries.ts';
import type { Page } from '../../contract/wire.ts';
import { type Actor, recordAudit } from '../../platform/audit/audit.ts';
import { cutPage, readCursor } from '../../platform/cursor.ts';
import type { Database } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import { refuseDefault, requireAdmin, requireMember, requireOwner } from './access.ts';
import { emptyLibrary } from './closure.ts';
import { tellLibrary } from './events.ts';
import { withCount, withCounts } from './library-counts.ts';
import * as store from './store.ts';

export interface ListQuery {
  cursor?: string | undefined;
  limit: number;
}

export type Libraries = ReturnType<typeof createLibraries>;

export function createLibraries({ sql }: { sql: Database }) {
  async function get(userId: string, libraryId: string): Promise<Library> {
    return withCount(sql, userId, requireMember(await store.findLibrary(sql, userId, libraryId)));
  }

  return {
    get,

    async list(userId: string, query: ListQuery): Promise<{ rows: Library[]; page: Page }> {
      const rows = await store.listLibraries(sql, userId, readCursor(query.cursor), query.limit + 1);
      const { rows: libraries, page } = cutPage(rows, query.limit);
      return { rows: await withCounts(sql, userId, libraries), page };
    },

    async create(userId: string, name: string, actor: Actor): Promise<Library> {
      const library = { id: newId(), name: readName(name), owner_user_id: userId };
      await transaction(sql, async (tx) => {
        await store.insertLibrary(tx, library);
        await recordAudit(tx, { action: 'library.created', actor, details: { library_id: library.id } });
        const { id: library_id, ...fields } = library;
        await tellLibrary(tx, 'library.created', { library_id, ...fields }, actor.requestId);
      });
      return get(userId, library.id);
    },

    async rename(userId: string, libraryId: string, given: string, actor: Actor): Promise<Library> {
      await transaction(sql, async (tx) => {
        const library = requireAdmin(await store.lockLibrary(tx, userId, libraryId));
        refuseDefault(library);
        const name = readName(given);
        await store.renameLibrary(tx, libraryId, name);
        await tellLibrary(tx, 'library.renamed', { library_id: libraryId, name }, actor.requestId);
      });
      return get(userId, libraryId);
    },

    /** What came to its members through it leaves their default libraries with it. */
    async delete(userId: string, libraryId: string, actor: Actor): Promise<void> {
      // Asked first without locks: strangers must not be able to hold up a library.
      refuseDeletion(await store.findLibrary(sql, userId, libraryId), userId);
      await transaction(sql, async (tx) => {
        refuseDeletion(await store.lockForDeletion(tx, userId, libraryId), userId);
        await emptyLibrary(tx, libraryId);
        const user_ids = await store.deleteLibrary(tx, libraryId);
        await recordAudit(tx, { action: 'library.deleted', actor, details: { library_id: libraryId } });
        const deleted = { library_id: libraryId, owner_user_id: userId, user_ids };
        await tellLibrary(tx, 'library.deleted', deleted, actor.requestId);
      });
    },
  };
}

function refuseDeletion(library: store.MemberLibrary | undefined, userId: string): void {
  refuseDefault(requireOwner(library, userId));
}

const LONGEST_NAME = 100;

function readName(given: string): string {
  const name = given.trim();
  const length = [...name].length;
  if (length >= 1 && length <= LONGEST_NAME && !name.includes('\0')) return name;
  throw new NexusError('E_NAME_INVALID', `name takes 1 to ${LONGEST_NAME} characters.`);
}
