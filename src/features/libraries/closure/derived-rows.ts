import type { Queryable, Transaction } from '../../../platform/database/database.ts';
import type { SqlFragment } from '../../../platform/database/statement.ts';

/** Identifies a row of a default library. */
export interface DerivedRow {
  default_library_id: string;
  media_id: string;
}

/**
 * Sets the date of rows of default libraries, which the caller has locked, by the reasons that are left: when their
 * owner saved the media, or else when it first came through a library that they are a member of now.
 */
export async function redate(tx: Transaction, rows: DerivedRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx`
    with given as materialized (
      select *
      from unnest(
        ${rows.map(({ default_library_id }) => default_library_id)}::uuid[],
        ${rows.map(({ media_id }) => media_id)}::uuid[]
      ) as given (default_library_id, media_id)
    )
    update library_media as derived
    set created_at = came.at
    from given
    cross join lateral (
      select coalesce(
        (
          select saved.created_at
          from default_library_intrinsics as saved
          where saved.default_library_id = given.default_library_id and saved.media_id = given.media_id
        ),
        (
          select min(greatest(source.created_at, joined.created_at))
          from default_library_closure_edges as edge
          join libraries as home on home.id = edge.default_library_id
          join library_media as source
            on source.library_id = edge.source_library_id and source.media_id = edge.media_id
          join memberships as joined
            on joined.library_id = edge.source_library_id and joined.user_id = home.owner_user_id
          where edge.default_library_id = given.default_library_id and edge.media_id = given.media_id
        )
      ) as at
    ) as came
    where derived.library_id = given.default_library_id
      and derived.media_id = given.media_id
      and derived.created_at <> came.at`;
}

/**
 * Inserts edges from one library, and the rows of default libraries that follow from them. `missing` selects
 * `default_library_id`, `media_id` and `came_at`, in the order of the locks.
 */
export async function insertEdges(tx: Transaction, sourceLibraryId: string, missing: SqlFragment) {
  await tx`
    with missing as materialized (${missing}),
    derived as (
      insert into library_media (library_id, media_id, is_derived, created_at)
      select default_library_id, media_id, true, came_at
      from missing
      ${orLockIt(tx)}
    )
    insert into default_library_closure_edges (default_library_id, media_id, source_library_id)
    select default_library_id, media_id, ${sourceLibraryId}
    from missing
    on conflict do nothing`;
}

/**
 * Locks the rows of default libraries that `reasons` selects. The CTE is materialised so that each row is looked up by
 * library and media: for a library that was filled after the last ANALYZE the planner expects a row or two, and would
 * join all rows with all rows.
 */
export async function lockDerived(tx: Transaction, reasons: SqlFragment): Promise<void> {
  await tx`
    with reason as materialized (${reasons})
    select count(*)
    from (
      select
      from reason
      join library_media as derived
        on derived.library_id = reason.default_library_id and derived.media_id = reason.media_id
      order by derived.library_id, derived.media_id
      for update of derived
    ) as locked`;
}

/**
 * The conflict clause for inserts into default libraries: an existing row is locked, and takes the earlier date. DO
 * NOTHING would not lock it, and a parallel removal of its last reason would delete it in spite of the new one.
 */
export function orLockIt(tx: Transaction): SqlFragment {
  return tx`
    on conflict (library_id, media_id) do update
    set created_at = excluded.created_at
    where excluded.created_at < library_media.created_at and not ${isRowSaved(tx)}`;
}

/** Whether the owner of a default library has saved the media of a row of `library_media`. */
export function isRowSaved(tx: Transaction): SqlFragment {
  return isSaved(tx, tx`library_media.library_id`, tx`library_media.media_id`);
}

type InSql = SqlFragment | string;

/** Whether the owner of a default library has saved a media. A predicate for use inside a statement. */
export function isSaved(sql: Queryable, defaultLibraryId: InSql, mediaId: InSql): SqlFragment {
  return sql`exists (
    select
    from default_library_intrinsics as access_saved
    where access_saved.default_library_id = ${defaultLibraryId} and access_saved.media_id = ${mediaId}
  )`;
}

/** Whether a media came to a default library through a shared one. A predicate for use inside a statement. */
export function hasEdge(sql: Queryable, defaultLibraryId: InSql, mediaId: InSql): SqlFragment {
  return sql`exists (
    select
    from default_library_closure_edges as access_edge
    where access_edge.default_library_id = ${defaultLibraryId} and access_edge.media_id = ${mediaId}
  )`;
}
