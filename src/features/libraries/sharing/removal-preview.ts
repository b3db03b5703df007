import type { ListQuery } from '../../../contract/wire.ts';
import { cutPage, readCursor } from '../../../platform/cursor.ts';
import type { Database } from '../../../platform/database/database.ts';
import { refuseDefault, requireAdmin } from '../access/access.ts';
import { findLibrary } from '../store.ts';
import { findDefaultLibraryId } from './member-store.ts';
import { refuseOwner, requireMembership } from './members.ts';
import { countKept, listKept } from './removal-preview-store.ts';

export type RemovalPreview = ReturnType<typeof createRemovalPreview>;

/** Previews what a member would lose when removed, and what they would keep and why. */
export function createRemovalPreview({ sql }: { sql: Database }) {
  return async (adminId: string, libraryId: string, memberId: string, query: ListQuery) => {
    refuseDefault(requireAdmin(await findLibrary(sql, adminId, libraryId)));
    refuseOwner(await requireMembership(sql, libraryId, memberId));
    const default_library_id = await findDefaultLibraryId(sql, memberId);
    if (default_library_id === undefined) throw new Error('A member has no default library.');
    const member = { user_id: memberId, default_library_id };
    const counts = await countKept(sql, libraryId, member);
    const last = readCursor(query.cursor);
    const rows = await listKept(sql, { adminId, libraryId, member }, last, query.limit + 1);
    const { rows: kept, page } = cutPage(rows, query.limit);
    return { data: { library_id: libraryId, user_id: memberId, ...counts, kept }, page };
  };
}
