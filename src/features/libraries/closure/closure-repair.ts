import type { Transaction } from '../../../platform/database/database.ts';
import { lockSource } from '../store.ts';
import * as derived from './derived-rows.ts';

/** Locks a library, and writes the edges and rows that are missing for its members. */
export async function insertMissingEdges(tx: Transaction, libraryId: string): Promise<void> {
  await lockSource(tx, libraryId);
  const missing = tx`
    select users.default_library_id, item.media_id, greatest(item.created_at, memberships.created_at) as came_at
    from memberships
    join users on users.id = memberships.user_id
    join library_media as item on item.library_id = memberships.library_id
    where memberships.library_id = ${libraryId}
      and not exists (
        select
        from default_library_closure_edges as edge
        where edge.default_library_id = users.default_library_id
          and edge.media_id = item.media_id
          and edge.source_library_id = ${libraryId}
      )
    order by users.default_library_id, item.media_id`;
  await derived.insertEdges(tx, libraryId, missing);
}

/** Adds the rows that a default library has a reason for, and deletes those it has none for. */
export async function rebuildDefaultLibrary(tx: Transaction, defaultLibraryId: string): Promise<void> {
  const missing = await tx<derived.DerivedRow[]>`
    insert into library_media (library_id, media_id, is_derived)
    select ${defaultLibraryId}, media_id, true
    from (
      select media_id from default_library_intrinsics where default_library_id = ${defaultLibraryId}
      union
      select media_id from default_library_closure_edges where default_library_id = ${defaultLibraryId}
    ) as reason
    order by media_id
    ${derived.orLockIt(tx)}
    returning library_id as default_library_id, media_id`;
  await derived.redate(tx, missing);
  await derived.lockDerived(
    tx,
    tx`select library_id as default_library_id, media_id from library_media where library_id = ${defaultLibraryId}`,
  );
  await tx`
    with listed as materialized (select library_id, media_id from library_media where library_id = ${defaultLibraryId})
    delete from library_media as derived
    using listed
    where derived.library_id = listed.library_id
      and derived.media_id = listed.media_id
      and not ${derived.isSaved(tx, tx`listed.library_id`, tx`listed.media_id`)}
      and not ${derived.hasEdge(tx, tx`listed.library_id`, tx`listed.media_id`)}`;
}
