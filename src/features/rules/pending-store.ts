import type { Queryable, Transaction } from '../../platform/database/database.ts';
import type { Viewer } from '../libraries/access/can-read-media.ts';

interface SaveEvent {
  library_id: string;
  media_id: string;
  event_id: string;
}

/** Remembers the saves of people who have an enabled rule. Additions to shared libraries are no saves. */
export async function insertPending(tx: Transaction, saves: SaveEvent[]): Promise<void> {
  await tx`
    insert into rules_pending (default_library_id, media_id, event_id)
    select saved.default_library_id, saved.media_id, given.event_id
    from unnest(
      ${saves.map(({ library_id }) => library_id)}::uuid[],
      ${saves.map(({ media_id }) => media_id)}::uuid[],
      ${saves.map(({ event_id }) => event_id)}::uuid[]
    ) as given (library_id, media_id, event_id)
    join default_library_intrinsics as saved
      on saved.default_library_id = given.library_id and saved.media_id = given.media_id
    join libraries on libraries.id = saved.default_library_id
    where exists (select from rules where rules.user_id = libraries.owner_user_id and rules.is_enabled)
    order by saved.default_library_id, saved.media_id
    for key share of saved
    on conflict (default_library_id, media_id) do update set event_id = excluded.event_id`;
}

/** Lists the pending saves of those of the media that can be searched now. */
export async function listPendingReady(sql: Queryable, mediaIds: string[]) {
  return sql<{ user_id: string; media_id: string; event_id: string }[]>`
    select libraries.owner_user_id as user_id, pending.media_id, pending.event_id
    from rules_pending as pending
    join libraries on libraries.id = pending.default_library_id
    join media on media.id = pending.media_id and media.processing_status = 'ready'
    where pending.media_id = any(${mediaIds}::uuid[])
    order by pending.event_id`;
}

/** Ends the wait of a save. Returns false when it does not wait, or is gone. */
export async function takePending(tx: Transaction, viewer: Viewer, mediaId: string): Promise<boolean> {
  const taken = await tx`
    delete from rules_pending
    where default_library_id = ${viewer.default_library_id} and media_id = ${mediaId}`;
  return taken.count === 1;
}
