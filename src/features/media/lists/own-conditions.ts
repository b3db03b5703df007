import type { MediaQuery } from '../../../contract/media.ts';
import type { ReadingState } from '../../../contract/reading.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import type { SqlFragment } from '../../../platform/database/statement.ts';
import type { Viewer } from '../../libraries/access/can-read-media.ts';
import { mediaWithLibraryTag } from '../../libraries/access/media-with-library-tag.ts';
import { mediaWithTag } from '../mine/media-with-tag.ts';

/** `started`: everything but `unread`. */
type FilteredState = ReadingState | 'started';

/**
 * The part of a filter that asks for what the viewer alone has, which are their reading progress, tags, favourites and archive,
 * and for the tags of the library that is listed.
 */
export type OwnFilter = Pick<MediaQuery, 'tag' | 'favourite' | 'archived' | 'library_id' | 'library_tag'> & {
  reading?: FilteredState | undefined;
};

/** A condition on the viewer's own rows. */
interface OwnCondition {
  /** Selects `media_id`, possibly several times. */
  rows: SqlFragment;
  /** Whether a media must be among the rows, or must not. */
  isIn: boolean;
}

/** Returns the conditions of a filter; those that usually match the fewest media come first. */
function conditionsOf(sql: Queryable, { user_id }: Viewer, filter: OwnFilter): OwnCondition[] {
  const { tag, favourite, archived, reading, library_id, library_tag } = filter;
  const conditions: OwnCondition[] = [];
  if (tag !== undefined) {
    conditions.push({ rows: mediaWithTag(sql, user_id, tag), isIn: true });
  }
  if (library_id !== undefined && library_tag !== undefined) {
    conditions.push({ rows: mediaWithLibraryTag(sql, library_id, library_tag), isIn: true });
  }
  if (favourite !== undefined) {
    const rows = sql`select media_id from media_mine where user_id = ${user_id} and is_favourite`;
    conditions.push({ rows, isIn: favourite });
  }
  if (archived !== undefined) {
    const rows = sql`select media_id from media_mine where user_id = ${user_id} and archived_at is not null`;
    conditions.push({ rows, isIn: archived });
  }
  if (reading !== undefined) {
    const hasState = reading === 'unread' ? sql`true` : STATES[reading](sql);
    const rows = sql`
      select reading.media_id from media_readings as reading where reading.user_id = ${user_id} and ${hasState}`;
    conditions.push({ rows, isIn: reading !== 'unread' });
  }
  return conditions;
}

const STATES = {
  reading: (sql: Queryable) => sql`reading.finished_at is null`,
  finished: (sql: Queryable) => sql`reading.finished_at is not null`,
  started: (sql: Queryable) => sql`true`,
};

/** Whether the filter asks for media among the viewer's own rows, which are few compared with all that they may read. */
export function beginsWithOwn({ tag, library_tag, favourite, archived, reading }: OwnFilter): boolean {
  return (
    tag !== undefined ||
    library_tag !== undefined ||
    favourite === true ||
    archived === true ||
    (reading !== undefined && reading !== 'unread')
  );
}

/**
 * Selects the media that the first condition asks for, each once, for filters that begin with the viewer's own rows; and
 * whether a media satisfies the other conditions.
 */
export function firstOwn(sql: Queryable, viewer: Viewer, filter: OwnFilter, mediaId: SqlFragment) {
  const conditions = conditionsOf(sql, viewer, filter);
  const first = conditions.find(({ isIn }) => isIn);
  if (!first) throw new Error('The filter asks for no own rows.');
  return {
    rows: sql`select distinct media_id from (${first.rows}) as own`,
    isWanted: areTrue(
      sql,
      conditions.filter((one) => one !== first),
      mediaId,
    ),
  };
}

/** Selects the media that the filter leaves out, each once; undefined when it leaves out none. */
export function leftOut(sql: Queryable, viewer: Viewer, filter: OwnFilter): SqlFragment | undefined {
  const rows = conditionsOf(sql, viewer, filter).flatMap((one) => (one.isIn ? [] : [one.rows]));
  const [first, ...others] = rows;
  return (
    first &&
    others.reduce((some, more) => sql`${some} union ${more}`, sql`select media_id from (${first}) as own`)
  );
}

/** Whether a media satisfies all conditions of the filter. A predicate for use inside a statement. */
export function isAmongOwn(
  sql: Queryable,
  viewer: Viewer,
  filter: OwnFilter,
  mediaId: SqlFragment,
): SqlFragment {
  return areTrue(sql, conditionsOf(sql, viewer, filter), mediaId);
}

const areTrue = (sql: Queryable, conditions: OwnCondition[], mediaId: SqlFragment): SqlFragment =>
  conditions.reduce((all, { rows, isIn }) => {
    const isThere = sql`exists (select from (${rows}) as kept where kept.media_id = ${mediaId})`;
    return isIn ? sql`${all} and ${isThere}` : sql`${all} and not ${isThere}`;
  }, sql`true`);
