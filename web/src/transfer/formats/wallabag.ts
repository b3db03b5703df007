import { type Entry, highlightOf, highlightsOf, parseDate, readingOf, tagsIn, textOf } from './entry.ts';
import { type Fields, fieldsIn, listOf } from './fields.ts';

/** The entries of Wallabag 2, or of Wallabag 1, which has other names for the archive and the stars. */
export function wallabagItems(value: unknown): Fields[] | undefined {
  return (
    listOf(value, 'url', 'is_archived') ??
    listOf(value, 'url', 'is_read', 'is_fav')?.map((item) => ({
      ...item,
      is_archived: item.is_read,
      is_starred: item.is_fav,
    }))
  );
}

export function wallabagEntry(item: Fields): Entry {
  const { url, given_url, created_at, archived_at, title, tags, annotations } = item;
  const savedAt = parseDate(created_at);
  const isArchived = isSet(item.is_archived);
  return {
    url: textOf(url) || textOf(given_url),
    savedAt,
    title: textOf(title),
    state: isArchived ? 'Archive' : 'Unread',
    tags: tagsIn(tags),
    is_favourite: isSet(item.is_starred),
    is_archived: isArchived,
    // In Wallabag, to archive is to mark as read.
    reading: isArchived ? readingOf(1, parseDate(archived_at) ?? savedAt) : undefined,
    highlights: highlightsOf(
      fieldsIn(annotations).map((one) => highlightOf(one.quote, { note: one.text, created: one.created_at })),
    ),
  };
}

/** Wallabag 2 writes 0 and 1, or false and true; Wallabag 1 writes "0" and "1". */
const isSet = (value: unknown) => value === true || Number(value) === 1;
