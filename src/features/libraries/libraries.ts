import { NexusError } from '../../contract/errors.ts';
import type { Library } from '../../contract/libraries.ts';
import type { ListQuery } from '../../contract/wire.ts';
import type { Actor } from '../../platform/audit/audit.ts';
import { cutPage, readCursor } from '../../platform/cursor.ts';
import type { Database, Queryable, Transaction } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import { versionOf } from '../../platform/version-tag.ts';
import { refuseDefault, requireAdmin, requireMember, requireOwner } from './access/access.ts';
import { emptyLibrary } from './closure/closure.ts';
import { emitLibraryEvents, recordLibraryChange } from './events.ts';
import * as store from './store.ts';

/** Creates the default library of a new user. */
export async function createDefaultLibrary(tx: Transaction, libraryId: string, ownerId: string) {
  await store.insertLibrary(tx, {
    id: libraryId,
    name: 'My library',
    owner_user_id: ownerId,
    is_default: true,
  });
}

export async function getLibrary(sql: Queryable, userId: string, libraryId: string): Promise<Library> {
  const found = requireMember(await store.findLibrary(sql, userId, libraryId));
  const [library] = await store.withCounts(sql, userId, [found]);
  return requireMember(library);
}

export type Libraries = ReturnType<typeof createLibraries>;

export function createLibraries({ sql }: { sql: Database }) {
  return {
    get: (userId: string, libraryId: string) => getLibrary(sql, userId, libraryId),

    async list(userId: string, query: ListQuery) {
      const rows = await store.listLibraries(sql, userId, readCursor(query.cursor), query.limit + 1);
      const { data: libraries, page } = cutPage(rows, query.limit);
      return { data: await store.withCounts(sql, userId, libraries), page };
    },

    async create(userId: string, name: string, actor: Actor): Promise<Library> {
      const library_id = newId();
      const fields = { name: readName(name), owner_user_id: userId };
      await transaction(
        sql,
        async (tx) => {
          await store.insertLibrary(tx, { id: library_id, ...fields, is_default: false });
          const created = { library_id, ...fields };
          await recordLibraryChange(tx, 'library.created', created, { actor, details: { library_id } });
        },
        actor,
      );
      return getLibrary(sql, userId, library_id);
    },

    async rename(userId: string, libraryId: string, given: string, actor: Actor): Promise<Library> {
      await transaction(sql, async (tx) => {
        const library = requireAdmin(await store.lockLibrary(tx, userId, libraryId));
        refuseDefault(library);
        actor.requireVersion?.(libraryVersion(library));
        const name = readName(given);
        await store.renameLibrary(tx, libraryId, name);
        await emitLibraryEvents(tx, 'library.renamed', [{ library_id: libraryId, name }], actor.requestId);
      });
      return getLibrary(sql, userId, libraryId);
    },

    /** Deletes a library. Its media leave the default libraries of its members, unless another reason is left. */
    async delete(userId: string, libraryId: string, actor: Actor): Promise<void> {
      // Checked before any lock is taken, so that strangers cannot block a library.
      refuseDeletion(await store.findLibrary(sql, userId, libraryId), userId);
      await transaction(sql, async (tx) => {
        refuseDeletion(await store.lockForDeletion(tx, userId, libraryId), userId);
        await emptyLibrary(tx, libraryId);
        const user_ids = await store.deleteLibrary(tx, libraryId);
        const deleted = { library_id: libraryId, owner_user_id: userId, user_ids };
        const details = { library_id: libraryId };
        await recordLibraryChange(tx, 'library.deleted', deleted, { actor, details });
      });
    },
  };
}

function refuseDeletion(library: store.MemberLibrary | undefined, userId: string): void {
  refuseDefault(requireOwner(library, userId));
}

/** Names the state of a library that its members change. */
export function libraryVersion({ name, owner_user_id }: Pick<Library, 'name' | 'owner_user_id'>): string {
  return versionOf(name, owner_user_id);
}

const LONGEST_NAME = 100;

function readName(given: string): string {
  const name = given.trim();
  const length = [...name].length;
  if (length >= 1 && length <= LONGEST_NAME && !name.includes('\0')) return name;
  throw new NexusError('E_NAME_INVALID', `The name must have 1 to ${LONGEST_NAME} characters.`);
}
