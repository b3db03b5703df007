import type { Queryable } from '../../../platform/database/database.ts';
import type { SqlFragment } from '../../../platform/database/statement.ts';
import type { Viewer } from '../../libraries/access/can-read-media.ts';
import {
  measureLibraries,
  mediaOfLibrary,
  mediaOfOtherLibraries,
  savedMedia,
} from '../../libraries/access/readable-media.ts';

/**
 * The scope of a list: one library, or everything that the viewer may read, which comes from several libraries.
 * `largest` is the library that contains nearly all of it, if there is one.
 */
export type ListScope = { libraryId: string } | { libraryId?: undefined; largest: string | undefined };

/** The most media outside the largest library that are looked up in it one by one, so that each is counted once. */
const MOST_OUTSIDE = 5000;

/**
 * Finds the scope of a list. The default library contains everything that its owner may read, or will once it is
 * filled.
 */
export async function findScope(
  sql: Queryable,
  viewer: Viewer,
  libraryId: string | undefined,
  mostOutside = MOST_OUTSIDE,
): Promise<ListScope> {
  if (libraryId !== undefined && libraryId !== viewer.default_library_id) return { libraryId };
  const [largest, ...others] = await measureLibraries(sql, viewer, mostOutside);
  const outside = others.reduce((sum, { size }) => sum + size, 0);
  return { largest: outside < mostOutside ? largest?.library_id : undefined };
}

export interface ListSources {
  main: SqlFragment | undefined;
  elsewhere: SqlFragment[];
}

/** Returns the sources of a scope. `main` has no duplicates; `elsewhere` may contain a media several times. */
export function sourcesOf(sql: Queryable, viewer: Viewer, scope: ListScope): ListSources {
  if (scope.libraryId !== undefined)
    return { main: mediaOfLibrary(sql, viewer, scope.libraryId), elsewhere: [] };
  const saved = savedMedia(sql, viewer);
  const { largest } = scope;
  const own = viewer.default_library_id;
  const shared = mediaOfOtherLibraries(sql, viewer, largest ?? own);
  if (largest === undefined) return { main: undefined, elsewhere: [saved, shared] };
  if (largest === own) return { main: saved, elsewhere: [shared] };
  return { main: mediaOfLibrary(sql, viewer, largest), elsewhere: [saved, shared] };
}
