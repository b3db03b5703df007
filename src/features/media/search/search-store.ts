import type { Media, MediaKind } from '../../../contract/media.ts';
import type { Queryable, Transaction } from '../../../platform/database/database.ts';
import type { SqlFragment } from '../../../platform/database/statement.ts';
import { canReadMedia, type Viewer } from '../../libraries/access/can-read-media.ts';
import { addedAt, joinOwn, type MediaRow, mediaColumns, toMedia } from '../lists/media-row.ts';
import { estimateText } from './query/query-store.ts';
import type { Query } from './query/tree.ts';
import { matchesPiece } from './query/words.ts';
import { PIECE_CHARACTERS } from './search-rows.ts';

/** The most candidates that are ranked for a frequent word, because ranking reads the whole document. */
const MOST_RANKED = 500;
const MOST_TITLES = 200;
/** The most text pieces of a media in which passages are looked for. */
const MOST_PIECES = 3;

interface SearchCursor {
  rank: number;
  id: string;
}

/**
 * Settings for the search. The bitmap of a frequent word takes more than the default 4 MB; with less, PostgreSQL
 * remembers pages instead of rows and rechecks every document on them. Sequential scans are off: PostgreSQL expects to
 * find enough titles soon, because it does not know how few of them are in the scope, and would parse every title.
 */
export function prepareSearch(tx: Transaction): void {
  tx.send(tx`select set_config('work_mem', '32MB', true), set_config('enable_seqscan', 'off', true)`);
}

/** Returns a query to the text index as PostgreSQL writes it, and how frequent it expects its words to be. */
export async function readWords(tx: Transaction, text: SqlFragment) {
  const [[{ words }], estimate] = await Promise.all([
    tx<[{ words: string }]>`select (${text})::text as words`,
    estimateText(tx, text),
  ]);
  return { words, ...estimate };
}

export interface SearchScope {
  libraryIds: string[];
  /** Whether membership must be checked. A default library is the viewer's own. */
  isShared: boolean;
}

/** The scope of a search: a library, or the default library and the libraries whose backfill is not done. */
const scopeRows = (sql: Queryable, viewer: Viewer, { libraryIds, isShared }: SearchScope) => sql`
  select media_id, created_at
  from library_media
  where ${libraryIds.length === 1 ? sql`library_id = ${libraryIds[0]}` : sql`library_id = any(${libraryIds}::uuid[])`}
    ${
      isShared
        ? sql`and exists (
            select from memberships where library_id = any(${libraryIds}::uuid[]) and user_id = ${viewer.user_id}
          )`
        : sql``
    }`;

/** Counts the media in the scope, up to `most`. */
export async function measureScope(sql: Queryable, viewer: Viewer, scope: SearchScope, most: number) {
  const [row] = await sql<[{ count: number }]>`
    select count(*) from (${scopeRows(sql, viewer, scope)} limit ${most}) as counted`;
  return row.count;
}

interface Sought {
  /** The words that are ranked, and the same as PostgreSQL wrote them. */
  text: Query;
  words: string;
  kind: MediaKind | undefined;
  /** Whether a media of the statement has the other properties that the query asks for; undefined if it asks for none. */
  isMatch: SqlFragment | undefined;
  scope: SearchScope;
}

/** Whether a media is of the kind, and matches the rest of the query. `offset 0` checks row by row, after the scope. */
const matches = (sql: Queryable, { kind, isMatch }: Sought, mediaId: SqlFragment) =>
  kind === undefined && isMatch === undefined
    ? sql``
    : sql`
        join lateral (
          select exists (
            select
            from media
            where media.id = ${mediaId}
              ${kind === undefined ? sql`` : sql`and media.kind = ${kind}`}
              ${isMatch === undefined ? sql`` : sql`and ${isMatch}`}
          ) as is_match
          offset 0
        ) as matched on matched.is_match`;

/** Selects `media_id`, `idx` and `document` of matching text pieces, or the title of media without any. */
type Candidates = SqlFragment;

/** Finds candidates by the text index and looks each up in the scope, until there are enough. */
export function foundInText(sql: Queryable, viewer: Viewer, sought: Sought): Candidates {
  return sql`
    select piece.media_id, piece.idx, piece.document
    from media_search as piece
    ${inScope(sql, viewer, sought.scope, sql`piece.media_id`)}
    ${matches(sql, sought, sql`piece.media_id`)}
    where ${matchesSought(sql, sought, sql`piece.document`)}
    limit ${MOST_RANKED}`;
}

/** Finds candidates by title, even when ten thousand other documents mention the words. */
export function foundInTitles(sql: Queryable, viewer: Viewer, sought: Sought): Candidates {
  const titled = sql`
    select titled.id, titled.title
    from media as titled
    ${inScope(sql, viewer, sought.scope, sql`titled.id`)}
    ${matches(sql, sought, sql`titled.id`)}
    where search_document(titled.title) @@ ${sought.words}::tsquery
    limit ${MOST_TITLES}`;
  return byTitle(sql, titled);
}

/** Finds candidates by the viewer's own titles. */
export function foundInOwnTitles(sql: Queryable, viewer: Viewer, sought: Sought): Candidates {
  const titled = sql`
    select own.media_id as id, own.title
    from (
      select user_id, media_id, title
      from media_mine
      where title is not null
        and personal_document(user_id, title) @@ personal_query(${viewer.user_id}, ${sought.words}::tsquery)
      offset 0
    ) as own
    ${inScope(sql, viewer, sought.scope, sql`own.media_id`)}
    ${matches(sql, sought, sql`own.media_id`)}
    where own.user_id = ${viewer.user_id}
    limit ${MOST_TITLES}`;
  return sql`
    select found.media_id, found.idx, setweight(search_document(found.title), 'A') || found.document as document
    from (${byTitle(sql, titled)}) as found`;
}

const byTitle = (sql: Queryable, titled: SqlFragment) => sql`
  select
    titled.id as media_id, piece.idx,
    coalesce(piece.document, setweight(search_document(titled.title), 'A')) as document, titled.title
  from (${titled}) as titled
  left join media_search as piece on piece.media_id = titled.id and piece.idx = 0`;

/** Finds candidates among few media: those that another part of the query selects. */
export function foundAmong(sql: Queryable, viewer: Viewer, sought: Sought, rows: SqlFragment): Candidates {
  const few = sql`
    select few.media_id
    from (select distinct media_id from (${rows}) as rows) as few
    ${inScope(sql, viewer, sought.scope, sql`few.media_id`)}
    ${matches(sql, sought, sql`few.media_id`)}`;
  return sql`${read(sql, few, sought)} limit ${MOST_RANKED}`;
}

/** Finds candidates among the newest media: for a frequent word, enough are found soon. */
export function foundInNewest(sql: Queryable, viewer: Viewer, sought: Sought, most: number): Candidates {
  const newest = sql`
    select newest.media_id
    from (
      ${scopeRows(sql, viewer, sought.scope)} order by created_at desc, media_id desc limit ${most}
    ) as newest
    ${matches(sql, sought, sql`newest.media_id`)}`;
  return sql`${read(sql, newest, sought)} limit ${MOST_RANKED}`;
}

/** Reads the text of media, or the title of those without text. */
const read = (sql: Queryable, media: SqlFragment, sought: Sought) => sql`
  select wanted.media_id, piece.idx, searched.document
  from (${media}) as wanted
  left join media_search as piece on piece.media_id = wanted.media_id
  cross join lateral (
    select coalesce(
      piece.document,
      (select setweight(search_document(title), 'A') from media where media.id = wanted.media_id)
    ) as document
  ) as searched
  where ${matchesSought(sql, sought, sql`searched.document`)}`;

const matchesSought = (sql: Queryable, { text, words }: Sought, document: SqlFragment) =>
  matchesPiece(sql, text, { document, words: sql`piece.words` }, sql`${words}::tsquery`);

/** `offset 0` makes PostgreSQL look up each candidate, instead of collecting all matches or the whole scope first. */
const inScope = (sql: Queryable, viewer: Viewer, scope: SearchScope, mediaId: SqlFragment) => sql`
  join lateral (
    select exists (select from (${scopeRows(sql, viewer, scope)}) as scope where scope.media_id = ${mediaId}) as is_there
    offset 0
  ) as scope on scope.is_there`;

export interface Hit {
  media: Media;
  /** The text pieces that match best. */
  pieces: number[];
  cursor: SearchCursor;
}

/**
 * Ranks candidates, best first, each media once, with the text pieces that match best. Access is checked in this order
 * until the page is full, because checking every occurrence of a word would take seconds. Only the page is read in full.
 */
export async function rankHits(
  sql: Queryable,
  viewer: Viewer,
  query: { words: string; candidates: Candidates[]; last: SearchCursor | null; limit: number },
): Promise<Hit[]> {
  const { words, candidates, last, limit } = query;
  const found = candidates
    .map((some) => sql`(select media_id, idx, document from (${some}) as found)`)
    .reduce((some, more) => sql`${some} union all ${more}`);
  const isBeyond = last === null ? sql`true` : sql`(rank, media_id) < (${last.rank}::float8, ${last.id})`;
  const rows = await sql<(MediaRow & Omit<Hit, 'media'>)[]>`
    with candidate as materialized (${found}),
    piece as (
      select distinct on (media_id, idx)
        media_id, idx, ts_rank('{0.1, 0.3, 0.5, 1.0}', document, ${words}::tsquery, 1)::float8 as rank
      from candidate
      order by media_id, idx, rank desc
    ),
    ranked as materialized (
      select media_id, max(rank) as rank, (array_agg(idx order by rank desc, idx))[1:${MOST_PIECES}::int] as pieces
      from piece
      group by media_id
    ),
    best as materialized (
      select ranked.media_id, ranked.rank, ranked.pieces
      from (select * from ranked where ${isBeyond} order by rank desc, media_id desc) as ranked
      join lateral (select ${canReadMedia(sql, viewer, sql`ranked.media_id`)} as may_read offset 0) as permission
        on permission.may_read
      order by ranked.rank desc, ranked.media_id desc
      limit ${limit}
    )
    select
      ${mediaColumns(sql, viewer)}, ${addedAt(sql, viewer)} as added_at,
      coalesce(array_remove(best.pieces, null), '{}') as pieces,
      json_build_object('rank', best.rank, 'id', media.id) as cursor
    from best
    join media on media.id = best.media_id
    ${joinOwn(sql, viewer)}
    order by best.rank desc, best.media_id desc`;
  return rows.map(({ pieces, cursor, ...row }) => ({ media: toMedia(row), pieces, cursor }));
}

/** Returns text pieces, in the order in which they are asked for. */
export async function readPieces(sql: Queryable, pieces: { mediaId: string; idx: number }[]) {
  const rows = await sql<{ text: string }[]>`
    select substr(coalesce(media.plain_text, ''), wanted.idx * ${PIECE_CHARACTERS}::int + 1, ${PIECE_CHARACTERS}::int) as text
    from unnest(
      ${pieces.map(({ mediaId }) => mediaId)}::uuid[],
      ${pieces.map(({ idx }) => idx)}::int[]
    ) with ordinality as wanted (media_id, idx, place)
    left join media on media.id = wanted.media_id
    order by wanted.place`;
  return rows.map(({ text }) => text);
}

/** Finds the fragment at each offset of a media's text, which is all fragments with text, joined by line feeds. */
export async function findFragments(sql: Queryable, offsets: { mediaId: string; offset: number }[]) {
  return sql<{ idx: number; title: string | null; start: number }[]>`
    with fragment as materialized (
      select
        media_id, idx, title, characters,
        sum(characters + 1) over (partition by media_id order by idx) as next_start
      from media_fragments
      where media_id = any(${[...new Set(offsets.map(({ mediaId }) => mediaId))]}::uuid[]) and characters > 0
    )
    select
      coalesce(found.idx, 0) as idx, found.title,
      coalesce(wanted.start - (found.next_start - found.characters - 1), 0)::int as start
    from unnest(
      ${offsets.map(({ mediaId }) => mediaId)}::uuid[],
      ${offsets.map(({ offset }) => offset)}::int[]
    ) with ordinality as wanted (media_id, start, place)
    left join lateral (
      select idx, title, characters, next_start
      from fragment
      where fragment.media_id = wanted.media_id and fragment.next_start > wanted.start
      order by idx
      limit 1
    ) as found on true
    order by wanted.place`;
}

/** Finds the chapters of media with all the words in their title, in order. */
export async function findTitledFragments(sql: Queryable, mediaIds: string[], words: string) {
  return sql<{ media_id: string; idx: number; title: string; text: string }[]>`
    select media_id, idx, title, left(canonical_text, 1000) as text
    from media_fragments
    where media_id = any(${mediaIds}::uuid[]) and title is not null and search_document(title) @@ ${words}::tsquery
    order by media_id, idx`;
}

/** Returns the texts of fragments from `from` on, as many as have `most` characters together, and at least one. */
export async function readTexts(sql: Queryable, mediaId: string, from: number, most: number) {
  return sql<{ idx: number; canonical_text: string }[]>`
    select idx, canonical_text
    from media_fragments
    where media_id = ${mediaId} and idx >= ${from} and idx <= (
      select coalesce(max(idx) filter (where before < ${most}), ${from})
      from (
        select idx, sum(characters) over (order by idx) - characters as before
        from media_fragments
        where media_id = ${mediaId} and idx >= ${from}
      ) as measured
    )
    order by idx`;
}

/** Lists media with search rows of an earlier version. */
export async function listOutdated(sql: Queryable, version: number, limit: number): Promise<string[]> {
  const rows = await sql<{ media_id: string }[]>`
    select distinct media_id
    from (select media_id from media_search where version < ${version} limit ${limit}) as outdated`;
  return rows.map(({ media_id }) => media_id);
}
