import type { RuleNotification } from '../../contract/rules.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import { newId } from '../../platform/ids.ts';
import { canReadMedia, type Viewer } from '../libraries/access/can-read-media.ts';

/** Writes that a rule matched a media. A rule that was deleted meanwhile notifies nobody. */
export async function insertNotification(
  tx: Transaction,
  { user_id }: Viewer,
  ruleId: string,
  mediaId: string,
): Promise<void> {
  await tx`
    insert into rule_notifications (id, user_id, rule_id, media_id)
    select ${newId()}, ${user_id}, rules.id, ${mediaId}
    from rules
    where rules.id = ${ruleId}`;
}

/** Moves notifications to the media that replaces another, unless the same rule has notified of that one. */
export async function moveNotifications(tx: Transaction, fromId: string, toId: string): Promise<void> {
  await tx`
    update rule_notifications as moved
    set media_id = ${toId}
    where moved.media_id = ${fromId}
      and not exists (
        select from rule_notifications as other where other.media_id = ${toId} and other.rule_id = moved.rule_id
      )`;
}

/** Lists notifications about media that the viewer may read, newest first. */
export async function listNotifications(
  sql: Queryable,
  viewer: Viewer,
  { last, limit }: { last: string | null; limit: number },
) {
  return sql<RuleNotification[]>`
    select
      notification.id, notification.rule_id, rules.name as rule_name, notification.media_id,
      coalesce(mine.title, media.title) as title, notification.created_at, notification.seen_at
    from rule_notifications as notification
    join rules on rules.id = notification.rule_id
    join media on media.id = notification.media_id
    left join media_mine as mine on mine.user_id = ${viewer.user_id} and mine.media_id = media.id
    where notification.user_id = ${viewer.user_id}
      ${last === null ? sql`` : sql`and notification.id < ${last}`}
      and ${canReadMedia(sql, viewer, sql`notification.media_id`)}
    order by notification.id desc
    limit ${limit}`;
}

export async function markSeen(sql: Queryable, { user_id }: Viewer, throughId: string): Promise<void> {
  await sql`
    update rule_notifications
    set seen_at = now()
    where user_id = ${user_id} and seen_at is null and id <= ${throughId}`;
}

/** Deletes those of the notifications that are old enough. Returns how many. */
export async function deleteOldNotifications(sql: Queryable, ids: string[], days: number): Promise<number> {
  const deleted = await sql`
    delete from rule_notifications
    where id = any(${ids}) and created_at < now() - ${days} * interval '1 day'`;
  return deleted.count;
}
