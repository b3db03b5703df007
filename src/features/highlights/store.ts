import type { HighlightColor } from '../../contract/highlight-selectors.ts';
import type { Highlight, HighlightsQuery, PdfArea } from '../../contract/highlights.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import type { SqlFragment } from '../../platform/database/statement.ts';
import { canReadMedia, type Viewer } from '../libraries/access/can-read-media.ts';
import { mediaWithTag } from '../media/mine/media-with-tag.ts';
import { formerExact, type PlacedPassage } from './placement-store.ts';
import type { Quote } from './quote.ts';
import { canSeeHighlight, canSeeReply, sharesSeenBy } from './visibility.ts';

/** A highlight as the viewer sees it, with its place and quote as columns. */
export interface HighlightRow
  extends Omit<Highlight, 'target' | 'visibility' | 'is_placed' | 'is_mine'>,
    Quote {
  user_id: string;
  fragment_idx: number;
  start_offset: number;
  end_offset: number;
  library_ids: string[];
}

const isVisible = (sql: Queryable, viewer: Viewer) =>
  canSeeHighlight(sql, viewer, { id: sql`highlight.id`, authorId: sql`highlight.user_id` });

const visibleReplies = (sql: Queryable, viewer: Viewer) => sql`
  from highlight_replies as reply
  where reply.highlight_id = highlight.id
    and ${canSeeReply(sql, viewer, { highlightId: sql`highlight.id`, authorId: sql`reply.user_id` })}`;

/** Whether the highlight or a reply is by somebody else and the viewer has not seen it. */
const isUnread = (sql: Queryable, viewer: Viewer) => sql`(
  (highlight.user_id <> ${viewer.user_id} and seen.seen_at is null)
  or exists (
    select ${visibleReplies(sql, viewer)}
      and reply.user_id <> ${viewer.user_id}
      and reply.created_at > coalesce(seen.seen_at, '-infinity')
  )
)`;

const selectHighlights = (sql: Queryable, viewer: Viewer) => sql`
  select
    highlight.id, highlight.media_id, highlight.user_id, highlight.fragment_id, highlight.fragment_idx,
    highlight.start_offset, highlight.end_offset, highlight.exact, highlight.prefix, highlight.suffix,
    highlight.pdf, highlight.color, highlight.note, highlight.created_at, highlight.updated_at,
    json_build_object('id', author.id, 'username', author.username, 'display_name', author.display_name) as created_by,
    (
      select media.title
      from media
      where media.id = highlight.media_id and ${canReadMedia(sql, viewer, sql`highlight.media_id`)}
    ) as media_title,
    array(
      select share.library_id
      from ${sharesSeenBy(sql, viewer)}
      where share.highlight_id = highlight.id
      order by share.library_id
    ) as library_ids,
    (select count(*) ${visibleReplies(sql, viewer)}) as reply_count,
    ${isUnread(sql, viewer)} as is_unread`;

const joinViews = (sql: Queryable, viewer: Viewer) => sql`
  left join highlight_views as seen on seen.highlight_id = highlight.id and seen.user_id = ${viewer.user_id}`;

const joins = (sql: Queryable, viewer: Viewer) => sql`
  join users as author on author.id = highlight.user_id
  ${joinViews(sql, viewer)}`;

export async function findHighlight(sql: Queryable, viewer: Viewer, id: string) {
  const [row] = await sql<HighlightRow[]>`
    ${selectHighlights(sql, viewer)}
    from highlights as highlight
    ${joins(sql, viewer)}
    where highlight.id = ${id} and ${isVisible(sql, viewer)}`;
  return row;
}

/** Finds and locks a highlight that the viewer sees, so that it does not change until the transaction ends. */
export async function lockHighlight(tx: Transaction, viewer: Viewer, id: string) {
  await tx`select from highlights where id = ${id} for no key update`;
  return findHighlight(tx, viewer, id);
}

export interface PlaceCursor {
  fragment_idx: number;
  start_offset: number;
  id: string;
}

/** Lists what the viewer sees of one media, in the order of the text. */
export async function listOfMedia(
  sql: Queryable,
  viewer: Viewer,
  mediaId: string,
  { fragmentIdx, last, limit }: { fragmentIdx?: number | undefined; last: PlaceCursor | null; limit: number },
) {
  return sql<HighlightRow[]>`
    ${selectHighlights(sql, viewer)}
    from highlights as highlight
    ${joins(sql, viewer)}
    where highlight.media_id = ${mediaId} and ${isVisible(sql, viewer)}
      ${fragmentIdx === undefined ? sql`` : sql`and highlight.fragment_idx = ${fragmentIdx}`}
      ${
        last === null
          ? sql``
          : sql`and (highlight.fragment_idx, highlight.start_offset, highlight.id) >
              (${last.fragment_idx}, ${last.start_offset}, ${last.id})`
      }
    order by highlight.fragment_idx, highlight.start_offset, highlight.id
    limit ${limit}`;
}

/**
 * Lists what the viewer sees of all media, newest first. Their own highlights, and those of each library, are walked along an
 * index and merged, so that a page costs the same however many there are. `offset 0` makes PostgreSQL check row by row; without
 * it, it may sort everything in a library first.
 */
export async function listHighlights(
  sql: Queryable,
  viewer: Viewer,
  query: HighlightsQuery & { before: string | null },
) {
  const source =
    query.q === undefined
      ? sourceOf(sql, viewer, query, await fewMedia(sql, viewer, query))
      : foundByWords(sql, viewer, await readWords(sql, query.q), query);
  return sql<HighlightRow[]>`
    with page as materialized (
      select distinct id from (${source}) as source order by id desc limit ${query.limit + 1}
    )
    ${selectHighlights(sql, viewer)}
    from page
    join highlights as highlight on highlight.id = page.id
    ${joins(sql, viewer)}
    order by highlight.id desc`;
}

type ListRequest = HighlightsQuery & { before: string | null };

/** The most media with a tag whose highlights are collected. With more, walking along the index soon finds a page. */
const MOST_TAGGED = 1000;

/** Returns the media that a list asks for: one, or those with a tag. Undefined if it asks for none, or for more than a few. */
async function fewMedia(sql: Queryable, { user_id }: Viewer, { media_id, tag }: ListRequest) {
  if (media_id !== undefined) return [media_id];
  if (tag === undefined) return undefined;
  const rows = await sql<{ media_id: string }[]>`
    select distinct media_id from (${mediaWithTag(sql, user_id, tag)}) as tagged limit ${MOST_TAGGED + 1}`;
  return rows.length > MOST_TAGGED ? undefined : rows.map((row) => row.media_id);
}

/** Selects the ids of at least one page of matching highlights. */
function sourceOf(
  sql: Queryable,
  viewer: Viewer,
  query: ListRequest,
  mediaIds: string[] | undefined,
): SqlFragment {
  const { by, library_id } = query;
  if (mediaIds) return ofFewMedia(sql, viewer, mediaIds, { ...query, media_id: undefined, tag: undefined });
  if (library_id !== undefined) return sharedWith(sql, viewer, query);
  if (by === 'me') return ofViewer(sql, viewer, query);
  if (by === 'others') return sharedWith(sql, viewer, query);
  return sql`${ofViewer(sql, viewer, query)} union all ${sharedWith(sql, viewer, query)}`;
}

const ofViewer = (sql: Queryable, viewer: Viewer, query: ListRequest) => {
  // Own highlights are unread only through their replies, which are few.
  const isAnswered = query.is === 'unread' || query.has === 'replies';
  return sql`(
    select highlight.id
    from highlights as highlight
    ${joinViews(sql, viewer)}
    where highlight.user_id = ${viewer.user_id}
      ${isAnswered ? sql`and highlight.id in (select highlight_id from highlight_replies)` : sql``}
      and ${matches(sql, viewer, query)}
    order by highlight.id desc
    limit ${query.limit + 1}
  )`;
};

const sharedWith = (sql: Queryable, viewer: Viewer, query: ListRequest, also = sql`true`) => {
  // Own highlights are listed by `ofViewer`, except for those of one library.
  const isOfOthers = query.by === 'others' || (query.by === undefined && query.library_id === undefined);
  return sql`
  select found.id
  from memberships as mine
  cross join lateral (
    select share.highlight_id as id
    from (
      select *
      from highlight_shares as share
      where share.library_id = mine.library_id ${isBefore(sql, sql`share.highlight_id`, query)}
      order by share.highlight_id desc
      offset 0
    ) as share
    join lateral (
      select
        exists (
          select
          from library_media as listed
          where listed.library_id = share.library_id and listed.media_id = share.media_id
        )
        and exists (
          select
          from highlights as highlight
          ${joinViews(sql, viewer)}
          where highlight.id = share.highlight_id and ${matches(sql, viewer, query)} and ${also}
        ) as is_listed
      offset 0
    ) as checked on checked.is_listed
    ${isOfOthers ? sql`where share.user_id <> ${viewer.user_id}` : sql``}
    order by share.highlight_id desc
    limit ${query.limit + 1}
  ) as found
  where mine.user_id = ${viewer.user_id}
    ${query.library_id === undefined ? sql`` : sql`and mine.library_id = ${query.library_id}`}`;
};

/**
 * Collects the highlights of few media; walking would pass by all others first. They are sorted before they are checked, so
 * that no more are checked than a page needs.
 */
const ofFewMedia = (sql: Queryable, viewer: Viewer, mediaIds: string[], query: ListRequest) => sql`
  select highlight.id
  from (
    select * from highlights where media_id = any(${mediaIds}::uuid[]) order by id desc offset 0
  ) as highlight
  join lateral (select ${isVisible(sql, viewer)} as is_visible offset 0) as checked on checked.is_visible
  ${joinViews(sql, viewer)}
  where ${matches(sql, viewer, query)} ${isSharedWith(sql, viewer, query)}
  order by highlight.id desc
  limit ${query.limit + 1}`;

/** The most highlights of all people that contain the words and are checked. */
const MOST_FOUND = 5000;

interface Sought {
  words: string;
  /** Whether so many highlights contain the words that checking whether each is visible would take long. */
  isFrequent: boolean;
}

/** Reads words, as `search_document` writes them, and estimates how many highlights contain them. */
async function readWords(sql: Queryable, q: string): Promise<Sought> {
  const [{ words }] = await sql<[{ words: string }]>`
    select websearch_to_tsquery('simple', search_form(${q}))::text as words`;
  const [plan] = await sql<[{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }]>`
    explain (format json) select from highlights as highlight where ${isIndexed(sql, sql`${words}::tsquery`)}`;
  return { words, isFrequent: plan['QUERY PLAN'][0].Plan['Plan Rows'] > MOST_FOUND };
}

/**
 * Finds the viewer's own highlights by the index, which has whose they are. Those of others are looked up in it, too, if few
 * people have highlighted the words; otherwise the highlights that are shared with the viewer are read.
 */
function foundByWords(sql: Queryable, viewer: Viewer, sought: Sought, query: ListRequest): SqlFragment {
  const words = sql`${sought.words}::tsquery`;
  const own = byIndex(sql, viewer, query, sql`personal_query(${viewer.user_id}, ${words})`);
  if (query.by === 'me') return own;
  if (!sought.isFrequent) return byIndex(sql, viewer, query, words);
  // No index has this expression, so each text is read where it is met.
  const hasWords = sql`search_document(${textOf(sql)}) @@ ${words}`;
  const shared = sharedWith(sql, viewer, query, hasWords);
  return query.by === 'others' ? shared : sql`${own} union all ${shared}`;
}

const textOf = (sql: Queryable) => sql`highlight.exact || ' ' || coalesce(highlight.note, '')`;

const isIndexed = (sql: Queryable, words: SqlFragment) => sql`
  personal_document(highlight.user_id, ${textOf(sql)}) @@ ${words}`;

const byIndex = (sql: Queryable, viewer: Viewer, query: ListRequest, words: SqlFragment) => sql`(
  select highlight.id
  from (select * from highlights as highlight where ${isIndexed(sql, words)} offset 0) as highlight
  ${joinViews(sql, viewer)}
  where ${isVisible(sql, viewer)} and ${matches(sql, viewer, query)} ${isSharedWith(sql, viewer, query)}
  order by highlight.id desc
  limit ${query.limit + 1}
)`;

const isSharedWith = (sql: Queryable, viewer: Viewer, { library_id }: ListRequest) =>
  library_id === undefined
    ? sql``
    : sql`and exists (
        select
        from ${sharesSeenBy(sql, viewer)}
        where share.highlight_id = highlight.id and share.library_id = ${library_id}
      )`;

const isBefore = (sql: Queryable, id: SqlFragment, { before }: ListRequest) =>
  before === null ? sql`` : sql`and ${id} < ${before}`;

/** The conditions of a list on `highlight`, besides words and library. */
const matches = (sql: Queryable, viewer: Viewer, query: ListRequest) => sql`
  true
  ${isBefore(sql, sql`highlight.id`, query)}
  ${query.by === 'me' ? sql`and highlight.user_id = ${viewer.user_id}` : sql``}
  ${query.by === 'others' ? sql`and highlight.user_id <> ${viewer.user_id}` : sql``}
  ${query.media_id === undefined ? sql`` : sql`and highlight.media_id = ${query.media_id}`}
  ${query.color === undefined ? sql`` : sql`and highlight.color = ${query.color}`}
  ${
    query.tag === undefined
      ? sql``
      : sql`and exists (
          select
          from (${mediaWithTag(sql, viewer.user_id, query.tag)}) as tagged
          where tagged.media_id = highlight.media_id
        )`
  }
  ${query.has === 'note' ? sql`and highlight.note is not null` : sql``}
  ${query.has === 'replies' ? sql`and exists (select ${visibleReplies(sql, viewer)})` : sql``}
  ${query.is === 'unread' ? sql`and ${isUnread(sql, viewer)}` : sql``}
  ${query.is === 'unplaced' ? sql`and highlight.fragment_id is null` : sql``}`;

type NewHighlight = PlacedPassage & {
  id: string;
  media_id: string;
  user_id: string;
  pdf: PdfArea | null;
  color: HighlightColor;
  note: string | null;
};

export async function insertHighlight(tx: Transaction, highlight: NewHighlight): Promise<void> {
  await tx`
    insert into highlights (
      id, media_id, user_id, fragment_id, fragment_idx, start_offset, end_offset, exact, prefix, suffix, pdf, color, note
    )
    values (
      ${highlight.id}, ${highlight.media_id}, ${highlight.user_id}, ${highlight.fragment_id}, ${highlight.fragment_idx},
      ${highlight.start}, ${highlight.end}, ${highlight.exact}, ${highlight.prefix}, ${highlight.suffix},
      ${highlight.pdf && JSON.stringify(highlight.pdf)}::jsonb, ${highlight.color}, ${highlight.note}
    )`;
}

type Changes = Pick<HighlightRow, 'pdf' | 'color' | 'note'>;

export async function updateHighlight(tx: Transaction, id: string, { pdf, color, note }: Changes) {
  await tx`
    update highlights
    set pdf = ${pdf && JSON.stringify(pdf)}::jsonb, color = ${color}, note = ${note}, updated_at = now()
    where id = ${id}`;
}

/** Writes where a highlight is, and its quote there. */
export async function placeHighlight(tx: Transaction, id: string, passage: PlacedPassage): Promise<void> {
  await tx`
    update highlights
    set fragment_id = ${passage.fragment_id}, fragment_idx = ${passage.fragment_idx}, start_offset = ${passage.start},
        end_offset = ${passage.end}, exact = ${passage.exact}, prefix = ${passage.prefix}, suffix = ${passage.suffix},
        former_exact = ${formerExact(tx, tx`${passage.exact}`)}, lost_at = null, updated_at = now()
    where id = ${id}`;
}

export async function deleteHighlight(tx: Transaction, id: string): Promise<void> {
  await tx`delete from highlights where id = ${id}`;
}

/** Returns a fragment of a media that the viewer may read, and keeps it from being replaced. */
export async function holdFragment(tx: Transaction, viewer: Viewer, mediaId: string, idx: number) {
  const [fragment] = await tx<{ id: string; canonical_text: string }[]>`
    select fragment.id, fragment.canonical_text
    from media_fragments as fragment
    where fragment.media_id = ${mediaId} and fragment.idx = ${idx} and ${canReadMedia(tx, viewer, mediaId)}
    for key share of fragment`;
  return fragment;
}

/** Lists fragments after one, as far as a passage of `length` characters can go on in them. */
export async function listFollowing(sql: Queryable, mediaId: string, idx: number, length: number) {
  return sql<{ canonical_text: string }[]>`
    select canonical_text
    from (
      select idx, canonical_text, sum(text_length + 1) over (order by idx) - text_length - 1 as starts_at
      from media_fragments
      where media_id = ${mediaId} and idx > ${idx}
    ) as following
    where starts_at < ${length}
    order by idx`;
}

/**
 * Returns those of the libraries that the viewer can share a media with: they are a member, and it contains the media. In a
 * transaction it stays so until the end: somebody who removes the member or the media waits.
 */
export async function listShareable(
  sql: Queryable,
  viewer: Viewer,
  mediaId: string,
  libraryIds: readonly string[],
): Promise<string[]> {
  const rows = await sql<{ library_id: string }[]>`
    select mine.library_id
    from memberships as mine
    join libraries on libraries.id = mine.library_id and not libraries.is_default
    join library_media as listed on listed.library_id = mine.library_id and listed.media_id = ${mediaId}
    where mine.user_id = ${viewer.user_id} and mine.library_id = any(${libraryIds}::uuid[])
    order by mine.library_id
    for key share of mine, listed`;
  return rows.map(({ library_id }) => library_id);
}

export async function insertShares(
  tx: Transaction,
  { id, media_id, user_id }: Pick<HighlightRow, 'id' | 'media_id' | 'user_id'>,
  libraryIds: readonly string[],
): Promise<void> {
  if (libraryIds.length === 0) return;
  await tx`
    insert into highlight_shares (highlight_id, library_id, user_id, media_id)
    select ${id}, library_id, ${user_id}, ${media_id}
    from unnest(${libraryIds}::uuid[]) as given (library_id)
    order by library_id
    on conflict do nothing`;
}

/** Deletes shares with all other libraries, including those that do not contain the media now. */
export async function deleteOtherShares(tx: Transaction, id: string, libraryIds: readonly string[]) {
  await tx`delete from highlight_shares where highlight_id = ${id} and library_id <> all(${libraryIds}::uuid[])`;
}

/** Lists the members of libraries, except one person, by name. `total` counts all of them. */
export async function listAudience(sql: Queryable, authorId: string, libraryIds: string[], limit: number) {
  const rows = await sql<(Highlight['created_by'] & { library_ids: string[]; total: number })[]>`
    select
      users.id, users.username, users.display_name, array_agg(memberships.library_id) as library_ids,
      count(*) over () as total
    from memberships
    join users on users.id = memberships.user_id and users.disabled_at is null
    where memberships.library_id = any(${libraryIds}::uuid[]) and memberships.user_id <> ${authorId}
    group by users.id
    order by lower(users.display_name), users.id
    limit ${limit}`;
  return { people: rows.map(({ total: _, ...person }) => person), total: rows[0]?.total ?? 0 };
}

/** Notes that the viewer has seen a highlight and its replies. A reply that is not committed yet stays unread. */
export async function markSeen(sql: Queryable, viewer: Viewer, id: string): Promise<void> {
  await sql`
    insert into highlight_views as known (user_id, highlight_id, seen_at)
    select ${viewer.user_id}, highlight.id, greatest(highlight.created_at, max(reply.created_at))
    from highlights as highlight
    left join highlight_replies as reply on reply.highlight_id = highlight.id
    where highlight.id = ${id}
    group by highlight.id
    on conflict (user_id, highlight_id) do update set seen_at = greatest(known.seen_at, excluded.seen_at)`;
}

/** Counts the highlights that are shared with a library, by a member and by others. */
export async function countHighlights(sql: Queryable, libraryId: string, memberId: string) {
  const [counts] = await sql<[{ by_member: number; by_others: number }]>`
    select
      count(*) filter (where share.user_id = ${memberId}) as by_member,
      count(*) filter (where share.user_id <> ${memberId}) as by_others
    from highlight_shares as share
    join library_media as listed on listed.library_id = share.library_id and listed.media_id = share.media_id
    where share.library_id = ${libraryId}`;
  return counts;
}
