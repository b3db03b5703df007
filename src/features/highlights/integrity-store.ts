import type { Queryable } from '../../platform/database/database.ts';
import type { Quote } from './quote.ts';

interface PlacedHighlight extends Quote {
  id: string;
  media_id: string;
  fragment_id: string;
  start_offset: number;
  end_offset: number;
  /**
   * Whether the text is as quoted; null when PostgreSQL, which counts characters, cannot tell, and when the passage goes on
   * in another fragment.
   */
  is_same: boolean | null;
}

/** Lists placed highlights in the order of their ids, and compares them with their text inside the database. */
export async function listPlaced(sql: Queryable, after: string | null, limit: number) {
  return sql<PlacedHighlight[]>`
    select
      highlight.id, highlight.media_id, highlight.fragment_id, highlight.start_offset,
      highlight.end_offset, highlight.exact, highlight.prefix, highlight.suffix,
      case
        when fragment.text_length = fragment.characters and highlight.end_offset <= fragment.text_length then
          substr(
            fragment.canonical_text,
            highlight.start_offset - char_length(highlight.prefix) + 1,
            char_length(highlight.prefix || highlight.exact || highlight.suffix)
          ) = highlight.prefix || highlight.exact || highlight.suffix
          and highlight.end_offset - highlight.start_offset = char_length(highlight.exact)
      end as is_same
    from highlights as highlight
    join media_fragments as fragment on fragment.id = highlight.fragment_id
    where true ${after === null ? sql`` : sql`and highlight.id > ${after}`}
    order by highlight.id
    limit ${limit}`;
}

/** Lists a fragment and those after it, as far as a passage goes on in them. */
export async function listTexts(sql: Queryable, fragmentId: string, end: number) {
  return sql<{ canonical_text: string }[]>`
    select canonical_text
    from (
      select
        fragment.idx, fragment.canonical_text,
        sum(fragment.text_length + 1) over (order by fragment.idx) - fragment.text_length - 1 as starts_at
      from media_fragments as first
      join media_fragments as fragment on fragment.media_id = first.media_id and fragment.idx >= first.idx
      where first.id = ${fragmentId}
    ) as following
    where starts_at < ${end}
    order by idx`;
}

/** Selects shares whose author is not a member of the library. */
export const strayShares = (sql: Queryable) => sql`
  select
    'highlight_shared_by_non_member' as kind, share.highlight_id, share.library_id
  from highlight_shares as share
  where not exists (
    select
    from memberships
    where memberships.library_id = share.library_id and memberships.user_id = share.user_id
  )`;
