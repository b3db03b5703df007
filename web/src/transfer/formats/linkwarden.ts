import { decodeEntities } from './entities.ts';
import { type Entry, parseDate, textOf, textsOf } from './entry.ts';
import { type Fields, fieldsIn, isFields } from './fields.ts';
import { folderPaths } from './folder-paths.ts';

/** The links of Linkwarden. A pinned link of a collection that somebody else shares is only among the pinned ones. */
export function linkwardenItems(value: unknown): Fields[] | undefined {
  const collections = isFields(value) ? fieldsIn(value.collections) : [];
  if (!collections.some(({ links }) => Array.isArray(links))) return undefined;
  const pinned = new Map(fieldsIn(isFields(value) ? value.pinnedLinks : []).map((link) => [link.id, link]));
  const pathOf = folderPaths(collections);
  const items = collections.flatMap((collection) => {
    const path = pathOf(collection);
    return fieldsIn(collection.links).map((link) => ({
      ...link,
      collection: path,
      isPinned: pinned.delete(link.id),
    }));
  });
  return [...items, ...[...pinned.values()].map((link) => ({ ...link, isPinned: true }))];
}

export function linkwardenEntry(link: Fields): Entry {
  const { url, name, description, createdAt, importDate, tags, collection, isPinned } = link;
  return {
    url: textOf(url),
    savedAt: parseDate(importDate ?? createdAt),
    // Linkwarden stores the title as it is written in the page's source.
    title: decodeEntities(textOf(name)),
    folder: textOf(collection) || undefined,
    tags: textsOf(tags),
    is_favourite: isPinned === true,
    note: textOf(description),
  };
}
