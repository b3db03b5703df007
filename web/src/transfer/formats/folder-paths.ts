import { textOf } from './entry.ts';
import type { Fields } from './fields.ts';

/** Deeper folders are in no real file, and their paths would fill the memory. */
export const MAX_DEPTH = 20;

/** Returns a function for the path of a folder, such as `Recipes / Soup`. A folder names its parent in `parentId`. */
export function folderPaths(folders: readonly Fields[]): (folder: Fields) => string {
  const byId = new Map(folders.map((folder) => [folder.id, folder]));
  return (folder) => {
    // A set, because a damaged file can name a folder as its own ancestor.
    const path = new Set<Fields>();
    let next: Fields | undefined = folder;
    while (next && !path.has(next) && path.size < MAX_DEPTH) {
      path.add(next);
      next = next.parentId == null ? undefined : byId.get(next.parentId);
    }
    return [...path]
      .reverse()
      .map(({ name }) => textOf(name))
      .filter(Boolean)
      .join(' / ');
  };
}
