import type { Queryable } from '../../../../platform/database/database.ts';
import type { SqlFragment } from '../../../../platform/database/statement.ts';
import type { Viewer } from '../../../libraries/access/can-read-media.ts';
import { mediaWithTag } from '../../mine/media-with-tag.ts';
import { type Condition, combine, type DateRange, isText, partsOf, type Query } from './tree.ts';
import { matchesPiece, toAuthorQuery, toTextQuery } from './words.ts';

/** The viewer for whom a query is asked, and when a media of the statement was added for them, or to a library. */
export interface Asker {
  viewer: Viewer;
  addedAt: SqlFragment;
  libraryId: string | undefined;
}

/**
 * Whether a media matches a query: a predicate for use inside a statement about `media`. It says nothing about access,
 * which the statement checks. Conditions on people's own rows only look at the viewer's.
 */
export function matchesQuery(sql: Queryable, asker: Asker, query: Query): SqlFragment {
  switch (query.type) {
    case 'none':
      return sql`false`;
    case 'not':
      return sql`not ${matchesQuery(sql, asker, query.of)}`;
    case 'words':
      return matchesText(sql, asker, query);
    case 'any': {
      if (isText(query)) return matchesText(sql, asker, query);
      const parts = query.of.map((part) => matchesQuery(sql, asker, part));
      return sql`(${parts.reduce((some, more) => sql`${some} or ${more}`)})`;
    }
    case 'all': {
      const { text, rest } = splitText(query);
      // Conditions are cheaper than words, so they come first.
      const parts = rest
        .toSorted((a, b) => costOf(a) - costOf(b))
        .map((part) => matchesQuery(sql, asker, part));
      if (text) parts.push(matchesText(sql, asker, text));
      return sql`(${parts.reduce((some, more) => sql`${some} and ${more}`)})`;
    }
    default:
      return matchesCondition(sql, asker, query);
  }
}

/** Splits a query into the words that it asks for, as one query of words, and all other parts. */
export function splitText(query: Query): { text: Query | undefined; rest: Query[] } {
  const parts = partsOf(query);
  return { text: combine('all', parts.filter(isText)), rest: parts.filter((part) => !isText(part)) };
}

function costOf(query: Query): number {
  switch (query.type) {
    case 'all':
    case 'any':
      return Math.max(...query.of.map(costOf));
    case 'not':
      return costOf(query.of);
    case 'words':
    case 'author':
      return 3;
    case 'kind':
    case 'length':
    case 'published':
      return 0;
    case 'site':
      return 1;
    default:
      return 2;
  }
}

/** The text of a long document is in several pieces; one of them must have all the words. A new media has none yet. */
function matchesText(sql: Queryable, { viewer }: Asker, text: Query): SqlFragment {
  const words = toTextQuery(sql, text);
  const isFound = matchesPiece(sql, text, { document: sql`piece.document`, words: sql`piece.words` });
  return sql`(
    exists (select from media_search as piece where piece.media_id = media.id and ${isFound})
    or (
      not exists (select from media_search as piece where piece.media_id = media.id)
      and search_document(media.title) @@ ${words}
    )
    or exists (
      select
      from media_mine as titled
      where titled.user_id = ${viewer.user_id} and titled.media_id = media.id and titled.title is not null
        and search_document(titled.title) @@ ${words}
    )
  )`;
}

/** Selects the media whose title or text has the words, or of the author, by index, possibly several times. */
export function mediaWithText(sql: Queryable, { user_id }: Viewer, text: Query): SqlFragment {
  if (text.type === 'author') {
    return sql`select media_id from media_search where document @@ ${toAuthorQuery(sql, text.value)}`;
  }
  const words = toTextQuery(sql, text);
  return sql`
    select media_id from media_search where ${matchesPiece(sql, text, { document: sql`document`, words: sql`words` })}
    union all
    select id from media where search_document(title) @@ ${words}
    union all
    select media_id
    from (
      select user_id, media_id
      from media_mine
      where title is not null and personal_document(user_id, title) @@ personal_query(${user_id}, ${words})
      offset 0
    ) as titled
    where titled.user_id = ${user_id}`;
}

function matchesCondition(sql: Queryable, asker: Asker, condition: Condition): SqlFragment {
  switch (condition.type) {
    case 'kind':
      return sql`media.kind = ${condition.value}`;
    case 'length':
      return isBetween(sql, sql`media.reading_minutes`, condition.min, condition.max);
    case 'added':
      return isAddedIn(sql, asker.addedAt, condition.range);
    case 'published':
      return isPublishedIn(sql, condition.range);
    case 'site':
      return isOfSite(sql, condition.value);
    case 'author':
      return sql`exists (
        select
        from media_search as piece
        where piece.media_id = media.id and piece.idx = 0 and piece.document @@ ${toAuthorQuery(sql, condition.value)}
      )`;
  }
  if (condition.type === 'is' && condition.value === 'failed') return sql`media.processing_status = 'failed'`;
  if (condition.type === 'is' && condition.value === 'unread') {
    return sql`not ${isAmong(sql, startedMedia(sql, asker.viewer))}`;
  }
  const rows = rowsOf(sql, asker, condition);
  if (!rows) throw new Error(`The condition ${condition.type} has no statement.`);
  return isAmong(sql, rows);
}

const isAmong = (sql: Queryable, rows: SqlFragment) =>
  sql`exists (select from (${rows}) as kept where kept.media_id = media.id)`;

const startedMedia = (sql: Queryable, { user_id }: Viewer) =>
  sql`select media_id from media_readings where user_id = ${user_id}`;

/**
 * Selects the `media_id` of all media that match a condition on rows of the viewer, possibly several times. Undefined for a
 * condition on the media itself.
 */
export function rowsOf(sql: Queryable, asker: Asker, condition: Query): SqlFragment | undefined {
  const { viewer } = asker;
  const { user_id, default_library_id } = viewer;
  switch (condition.type) {
    case 'added':
      return addedRows(sql, asker, condition.range);
    case 'tag':
      return mediaWithTag(sql, user_id, condition.value);
    case 'in':
      return sql`
        select listed.media_id
        from memberships as joined
        join libraries as named on named.id = joined.library_id and lower(named.name) = lower(${condition.value})
        join library_media as listed on listed.library_id = joined.library_id
        where joined.user_id = ${user_id}`;
    case 'has':
      switch (condition.value) {
        case 'highlights':
          return sql`select media_id from highlights where user_id = ${user_id}`;
        case 'note':
          return sql`select media_id from media_mine where user_id = ${user_id} and note is not null`;
        case 'tags':
          return sql`
            select media_tags.media_id
            from tags
            join media_tags on media_tags.tag_id = tags.id
            where tags.user_id = ${user_id}`;
      }
      break;
    case 'is':
      switch (condition.value) {
        case 'favourite':
          return sql`select media_id from media_mine where user_id = ${user_id} and is_favourite`;
        case 'archived':
          return sql`select media_id from media_mine where user_id = ${user_id} and archived_at is not null`;
        case 'reading':
          return sql`${startedMedia(sql, viewer)} and finished_at is null`;
        case 'finished':
          return sql`${startedMedia(sql, viewer)} and finished_at is not null`;
        case 'shared':
          return sql`
            select listed.media_id
            from memberships as joined
            join library_media as listed on listed.library_id = joined.library_id and not listed.is_derived
            where joined.user_id = ${user_id} and joined.library_id <> ${default_library_id}`;
      }
  }
  return undefined;
}

const isBetween = (
  sql: Queryable,
  value: SqlFragment,
  min: number | null,
  max: number | null,
) => sql`coalesce(
  ${value} is not null
    ${min === null ? sql`` : sql`and ${value} >= ${min}::int`}
    ${max === null ? sql`` : sql`and ${value} <= ${max}::int`},
  false
)`;

/**
 * Selects the media that were added in a range of days, along the index of a library's dates. Media of a library whose backfill
 * is not done are not in the default library yet.
 */
function addedRows(sql: Queryable, { viewer, libraryId }: Asker, range: DateRange): SqlFragment {
  const own = sql`
    select listed.media_id
    from library_media as listed
    where listed.library_id = ${libraryId ?? viewer.default_library_id}
      ${within(sql, sql`listed.created_at`, addedLimits(sql, range))}`;
  if (libraryId !== undefined) return own;
  return sql`
    ${own}
    union all
    select listed.media_id
    from default_library_backfill_jobs as backfill
    join memberships as joined
      on joined.library_id = backfill.source_library_id and joined.user_id = backfill.user_id
    join library_media as listed on listed.library_id = joined.library_id
    where backfill.default_library_id = ${viewer.default_library_id}
      and backfill.user_id = ${viewer.user_id}
      and backfill.status <> 'completed'
      ${within(sql, sql`greatest(listed.created_at, joined.created_at)`, addedLimits(sql, range))}`;
}

/** Whether something was added in a range of days. */
const isAddedIn = (sql: Queryable, addedAt: SqlFragment, range: DateRange): SqlFragment =>
  isWithin(sql, addedAt, addedLimits(sql, range));

function addedLimits(sql: Queryable, range: DateRange): Limits {
  const start = (day: string) => sql`(${day}::timestamp at time zone 'utc')`;
  return toLimits(range, start, (days) => sql`(now() - make_interval(days => ${days}::int))`);
}

/** Whether something was published in a range of days. Sources give a year, a month or a day; what is missing is the first. */
function isPublishedIn(sql: Queryable, range: DateRange): SqlFragment {
  const published = sql`left(media.published || substr('0000-01-01', length(media.published) + 1), 10) collate "C"`;
  const ago = (days: number) =>
    sql`to_char(now() at time zone 'utc' - make_interval(days => ${days}::int), 'YYYY-MM-DD')`;
  return isWithin(
    sql,
    published,
    toLimits(range, (day) => sql`${day}::text`, ago),
  );
}

interface Limits {
  from?: SqlFragment | undefined;
  until?: SqlFragment | undefined;
}

function toLimits(
  range: DateRange,
  start: (day: string) => SqlFragment,
  ago: (days: number) => SqlFragment,
): Limits {
  if ('days' in range) return range.isYounger ? { from: ago(range.days) } : { until: ago(range.days) };
  return {
    from: range.from === null ? undefined : start(range.from),
    until: range.until === null ? undefined : start(range.until),
  };
}

const isWithin = (sql: Queryable, value: SqlFragment, limits: Limits) => sql`coalesce(
  ${value} is not null ${within(sql, value, limits)},
  false
)`;

/** The limits as further conditions, which an index can have. */
const within = (sql: Queryable, value: SqlFragment, { from, until }: Limits) => sql`
  ${from ? sql`and ${value} >= ${from}` : sql``}
  ${until ? sql`and ${value} < ${until}` : sql``}`;

/** Whether a media is of a site: by the name that the site gives itself, or by its address or that of a subdomain. */
function isOfSite(sql: Queryable, site: string): SqlFragment {
  const end = `.${site}`;
  const isHost = (host: SqlFragment) => sql`right('.' || ${host}, char_length(${end}::text)) = ${end}`;
  // Hosts of addresses are lower case already, and cutting them out by a pattern takes ten times as long.
  const host = sql`split_part(split_part(media.canonical_url, '/', 3), ':', 1)`;
  return sql`coalesce(${isHost(sql`lower(media.site)`)} or ${isHost(host)}, false)`;
}
