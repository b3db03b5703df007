import type { Library } from '../../contract/libraries.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { countLibraryMedia, type MemberLibrary } from './store.ts';

const EMPTY = { media_count: 0, unread_count: 0 };

/** Adds the number of media and of unread media to libraries. */
export async function withCounts(sql: Queryable, userId: string, libraries: MemberLibrary[]) {
  const ids = libraries.map(({ id }) => id);
  const counts = await countLibraryMedia(sql, userId, ids);
  return libraries.map((library) => ({ ...library, ...(counts.get(library.id) ?? EMPTY) }));
}

export async function withCount(sql: Queryable, userId: string, library: MemberLibrary): Promise<Library> {
  const [counted] = await withCounts(sql, userId, [library]);
  return counted ?? { ...library, ...EMPTY };
}
