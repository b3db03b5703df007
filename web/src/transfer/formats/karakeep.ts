import { type Entry, parseDate, textOf, textsOf } from './entry.ts';
import { type Fields, fieldsIn, isFields, listOf } from './fields.ts';
import { folderPaths } from './folder-paths.ts';

/** The bookmarks of Karakeep, with the names of their lists. A bookmark can be in several, so they become tags. */
export function karakeepItems(value: unknown): Fields[] | undefined {
  if (!isFields(value)) return undefined;
  // Smart lists are saved searches.
  const lists = fieldsIn(value.lists).filter(({ type }) => type !== 'smart');
  const pathOf = folderPaths(lists);
  const names = new Map(lists.map((list) => [list.id, pathOf(list)]));
  return listOf(value.bookmarks, 'content', 'createdAt')?.map((bookmark) => ({
    ...bookmark,
    listNames: [bookmark.lists ?? bookmark.listIds].flat().map((id) => names.get(id)),
  }));
}

export function karakeepEntry(bookmark: Fields): Entry {
  const { content, createdAt, title, tags, archived, favourited, note, listNames } = bookmark;
  return {
    url: isFields(content) ? textOf(content.url) : '',
    savedAt: parseDate(createdAt),
    title: textOf(title),
    state: archived === true ? 'Archive' : undefined,
    tags: [...textsOf(tags), ...textsOf(listNames)],
    // Only answers of the API have it.
    is_favourite: favourited === true,
    is_archived: archived === true,
    note: textOf(note),
  };
}
