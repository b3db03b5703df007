import type { Principal } from '../../contract/identity.ts';
import { ROLES, type Role, roleAllows } from '../../contract/roles.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { SqlFragment } from '../../platform/database/statement.ts';
import { canSeeHighlight, canSeeReply } from '../highlights/visibility.ts';
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
 * that removal, the members of a deleted library see its deletion, and the members of a library that a highlight is no
 * longer shared with see that change. They see nothing else of it.
 */
export function maySeeEvent(sql: Queryable, viewer: EventViewer) {
  const user = sql`${viewer.user_id}::uuid`;
  const field = (name: string) => sql`(event.payload ->> ${name})::uuid`;
  // Events of version 1 name it document_id.
  const analysedMedia = sql`coalesce(${field('media_id')}, ${field('document_id')})`;
  const isNamed = sql`coalesce(event.payload -> 'user_ids' ? ${user}::text, false)`;
  const isMemberOf = (library: SqlFragment) => sql`
    exists (select from memberships where library_id = ${library} and user_id = ${user})`;
  const isMemberOfFormer = sql`
    exists (
      select from memberships
      where user_id = ${user} and event.payload -> 'former_library_ids' ? library_id::text
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
        or ${isMemberOfFormer}
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
