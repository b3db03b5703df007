import { NexusError } from '../../contract/errors.ts';
import type { ExportedDocument } from '../../contract/export.ts';
import type { Library } from '../../contract/libraries.ts';
import type { Media } from '../../contract/media.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Viewer } from '../libraries/can-read-media.ts';
import type { MediaLists } from '../media/list.ts';
import type { Bookmark } from './bookmarks.ts';
import { type Judge, type Said, shownDocuments } from './shown.ts';
import * as store from './store.ts';

export interface DocumentsDependencies {
  sql: Database;
  mediaLists: Pick<MediaLists, 'page'>;
}

const LISTED_AT_ONCE = 200;
/** Texts are read for a few documents at a time, and for fewer where they are long. */
const READ_AT_ONCE = 25;
const WORDS_AT_ONCE = 50_000;

const NOTHING_SAID: Said = {
  head: { title: null, author: null, description: null, site: null },
  texts: [],
};

/** Rights are asked again for every few documents, right before they are handed out. */
export async function* documentsOf(
  dependencies: DocumentsDependencies,
  viewer: Viewer,
  library: Library,
  judge: Judge,
): AsyncGenerator<ExportedDocument> {
  for await (const page of pagesOf(dependencies, viewer, library)) {
    for (const group of grouped(page)) {
      const ids = group.map(({ id }) => id);
      const found = await store.findTexts(dependencies.sql, viewer, sharedIdOf(library), ids);
      const texts = new Map(found.map((row) => [row.media_id, row.texts]));
      const readable = group.filter(({ id }) => texts.has(id));
      const said = readable.map((media) => ({
        id: media.id,
        ...saidOf(media),
        texts: texts.get(media.id) ?? [],
      }));
      const shown = await shownDocuments(said, judge);
      for (const [index, media] of readable.entries()) yield onTheWire(media, shown[index]);
    }
  }
}

/** What was uploaded has no address, and is left out. */
export async function* bookmarksOf(
  dependencies: DocumentsDependencies,
  viewer: Viewer,
  library: Library,
  judge: Judge,
): AsyncGenerator<Bookmark> {
  for await (const page of pagesOf(dependencies, viewer, library)) {
    for (const group of grouped(page)) {
      const ids = group.map(({ id }) => id);
      const found = await store.listReadable(dependencies.sql, viewer, sharedIdOf(library), ids);
      const readable = group.filter(({ id }) => found.has(id));
      const said = readable.map((media) => ({ id: media.id, ...saidOf(media) }));
      const shown = await shownDocuments(said, judge);
      for (const [index, { canonical_url, requested_url, added_at, reading }] of readable.entries()) {
        const url = canonical_url ?? requested_url;
        if (url === null) continue;
        const title = shown[index]?.head.title ?? url;
        yield { url, title, added_at, isFinished: reading?.finished_at != null };
      }
    }
  }
}

/**
 * All of a library, oldest first. Who is no longer in it gets no further page: the export breaks off, so that nobody
 * takes a part for the whole.
 */
async function* pagesOf(
  { sql, mediaLists }: DocumentsDependencies,
  viewer: Viewer,
  library: Library,
): AsyncGenerator<Media[]> {
  const library_id = sharedIdOf(library);
  let cursor: string | undefined;
  do {
    const query = { library_id, cursor, sort: 'added', order: 'asc', limit: LISTED_AT_ONCE } as const;
    const { rows, page } = await mediaLists.page(viewer, query);
    // Asked after the page was read, so that one that is empty for want of rights is not taken for the end.
    if (library_id && !(await store.isMember(sql, viewer.user_id, library_id))) throw revoked();
    yield rows;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  // While the last page was gone through, what was no longer readable was left out.
  if (library_id && !(await store.isMember(sql, viewer.user_id, library_id))) throw revoked();
}

function* grouped(page: Media[]): Generator<Media[]> {
  let group: Media[] = [];
  let words = 0;
  for (const media of page) {
    const count = media.word_count ?? 0;
    if (group.length === READ_AT_ONCE || (group.length > 0 && words + count > WORDS_AT_ONCE)) {
      yield group;
      group = [];
      words = 0;
    }
    group.push(media);
    words += count;
  }
  if (group.length > 0) yield group;
}

/** A default library is exported with all that its owner may read, whatever the reason. */
function sharedIdOf({ id, is_default }: Library): string | undefined {
  return is_default ? undefined : id;
}

function saidOf({ title, author, description, site }: Media): Said {
  return { head: { title, author, description, site }, texts: [] };
}

function onTheWire(media: Media, said: Said | undefined): ExportedDocument {
  const { id, kind, requested_url, language, published, word_count, page_count } = media;
  const { processing_status, added_at, reading } = media;
  const { head, texts } = said ?? NOTHING_SAID;
  return {
    id,
    kind,
    url: media.canonical_url ?? requested_url,
    requested_url,
    ...head,
    language,
    published,
    word_count,
    page_count,
    processing_status,
    added_at,
    reading,
    texts,
    withheld: said === undefined,
  };
}

function revoked(): NexusError {
  return new NexusError(
    'E_LIBRARY_NOT_FOUND',
    'You are no longer in this library: its export breaks off here.',
  );
}
