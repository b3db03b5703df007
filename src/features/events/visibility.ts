import type { Principal } from '../../contract/identity.ts';
import { ROLES, type Role, roleAllows } from '../../contract/roles.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { SqlFragment } from '../../platform/database/statement.ts';
import { canSeeHighlight, canSeeMention, canSeeReply } from '../highlights/visibility.ts';
import { canReadMedia, seesWorkOnMedia, type ViewerInSql } from '../libraries/access/can-read-media.ts';

/** The person an event is shown to: values of one person, or columns of a statement about many. */
export interface EventViewer extends ViewerInSql {
  is_admin: boolean | SqlFragment;
}

export function eventViewerOf({ user_id, default_library_id, role }: Principal): EventViewer {
  return { user_id, default_library_id, is_admin: roleAllows(role, 'admin') };
}

/** The roles that may do everything that `minimum` may. */
export function rolesFrom(minimum: Role): Role[] {
  return ROLES.filter((role) => roleAllows(role, minimum));
}

/**
 * Whether `viewer` may see `event` now, as an SQL condition. An event is shown to those who could read its subject with a
 * request made at this moment. There are exceptions, so that nobody has to poll: whoever was removed from a library sees
 * that removal, the members of a deleted library see its deletion, and those who were members of a library when a highlight
 * was no longer shared with it, and still are, see that change. They see nothing else of it.
 */
export function maySeeEvent(sql: Queryable, viewer: EventViewer) {
  const user = userOf(sql, viewer);
  const field = fieldOf(sql);
  // Events of version 1 name it document_id.
  const analysedMedia = sql`coalesce(${field('media_id')}, ${field('document_id')})`;
  const isNamed = sql`coalesce(event.payload -> 'user_ids' ? ${user}::text, false)`;
  const isMemberOf = isMember(sql, user);
  // The membership must be older than the event: later members have never seen the highlight.
  const wasMemberOfFormer = sql`
    exists (
      select from memberships
      where user_id = ${user}
        and event.payload -> 'former_library_ids' ? library_id::text
        and memberships.created_at <= event.created_at
    )`;
  const reader = { user_id: user, default_library_id: sql`${viewer.default_library_id}::uuid` };
  return sql`
    case
      when event.event_type = 'library.deleted' then ${field('owner_user_id')} = ${user} or ${isNamed}
      when event.event_type = 'library.member_removed' then
        ${field('user_id')} = ${user} or ${isMemberOf(field('library_id'))}
      when event.event_type like 'library.%' then ${isMemberOf(field('library_id'))}
      when event.event_type like 'invitation.%' then
        ${field('invitee_user_id')} = ${user}
        or exists (
          select from memberships
          where library_id = ${field('library_id')} and user_id = ${user} and role = 'admin'
        )
      when event.event_type = 'media.created' then
        ${field('created_by_user_id')} = ${user} and ${canReadMedia(sql, reader, field('media_id'))}
      when event.event_type = 'media.deleted' then ${viewer.is_admin}::boolean or ${isNamed}
      when event.event_type in ('media.tagged', 'media.archived', 'media.favourited', 'media.titled', 'media.noted') then
        ${field('user_id')} = ${user}
      when event.event_type = 'rule.run_ended' then ${field('user_id')} = ${user}
      when event.event_type like 'rule.%' then
        ${field('user_id')} = ${user} and ${canReadMedia(sql, reader, field('media_id'))}
      when event.event_type like 'media.%' then ${canReadMedia(sql, reader, field('media_id'))}
      when event.event_type like 'analysis.%' then
        ${seesWorkOnMedia(sql, reader, { mediaId: analysedMedia, authorId: field('created_by_user_id') })}
      when event.event_type like 'highlight.%' then
        ${canSeeHighlight(sql, reader, { id: field('highlight_id'), authorId: field('user_id') })}
        or ${wasMemberOfFormer}
      when event.event_type like 'reply.%' then
        ${canSeeReply(sql, reader, { highlightId: field('highlight_id'), authorId: field('user_id') })}
      when event.event_type like 'backfill.%' then
        ${viewer.is_admin}::boolean
        or (${field('user_id')} = ${user} and ${isMemberOf(field('source_library_id'))})
      when event.event_type like 'job.%' then
        ${viewer.is_admin}::boolean or ${field('created_by_user_id')} = ${user}
      else ${viewer.is_admin}::boolean
    end`;
}

/**
 * The payload of `event` as `viewer`, who sees the event, may know it. The libraries of a highlight are those that they are a
 * member of, unless it is their own; the people mentioned are those whom the reply names to them.
 */
export function payloadSeenBy(sql: Queryable, viewer: EventViewer) {
  const user = userOf(sql, viewer);
  const field = fieldOf(sql);
  const only = (list: string, isKnown: (id: SqlFragment) => SqlFragment) => sql`
    jsonb_set(
      event.payload,
      array[${list}],
      (
        select coalesce(jsonb_agg(named.id order by named.place), '[]')
        from jsonb_array_elements_text(event.payload -> ${list}) with ordinality as named (id, place)
        where ${isKnown(sql`named.id::uuid`)}
      )
    )`;
  const isMentioned = (mentionedId: SqlFragment) =>
    canSeeMention(
      sql,
      { user_id: user },
      { highlightId: field('highlight_id'), authorId: field('user_id'), mentionedId },
    );
  return sql`
    case
      when event.event_type = 'reply.created' then ${only('mentioned_user_ids', isMentioned)}
      when event.event_type not like 'highlight.%' or ${field('user_id')} = ${user} then event.payload
      when event.payload ? 'library_ids' then ${only('library_ids', isMember(sql, user))}
      else ${only('former_library_ids', isMember(sql, user))}
    end`;
}

/** Whether `payloadSeenBy` may differ from the payload of `event`. */
export const isPayloadPersonal = (sql: Queryable) =>
  sql`(event.event_type like 'highlight.%' or event.event_type = 'reply.created')`;

const userOf = (sql: Queryable, { user_id }: EventViewer) => sql`${user_id}::uuid`;

const fieldOf = (sql: Queryable) => (name: string) => sql`(event.payload ->> ${name})::uuid`;

const isMember = (sql: Queryable, user: SqlFragment) => (library: SqlFragment) =>
  sql`
  exists (select from memberships where library_id = ${library} and user_id = ${user})`;
