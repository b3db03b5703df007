import type { Principal } from '../../contract/identity.ts';
import { ROLES, type Role, roleAllows } from '../../contract/roles.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { Statement } from '../../platform/database/statement.ts';
import { canReadMedia } from '../libraries/access/can-read-media.ts';
import { seesWorkOnMedia } from '../libraries/access/sees-work-on-media.ts';

type InSql<T> = T | Statement<object[]>;

/** Whose ears it is heard with: one person, or the columns of a statement that hold many. */
export interface Hearer {
  user_id: InSql<string>;
  default_library_id: InSql<string>;
  is_admin: InSql<boolean>;
}

export function hearerOf({ user_id, default_library_id, role }: Principal): Hearer {
  return {
    user_id,
    default_library_id,
    is_admin: roleAllows(role, 'admin'),
  };
}

/** Those that may do what this role may. */
export function rolesFrom(minimum: Role): Role[] {
  return ROLES.filter((role) => roleAllows(role, minimum));
}

/**
 * Whether somebody may hear of `event`, as things are now: what they could not look at with a request made at this
 * moment is not told to them either. A library tells its members, a media those who can read it. That a media was created
 * is told to its saver alone, and what was made of it to those who see it. Whoever had a media that is gone heard that it
 * left their libraries.
 */
export function mayHear(sql: Queryable, hearer: Hearer) {
  const user = sql`${hearer.user_id}::uuid`;
  const says = (field: string) => sql`(event.payload ->> ${field})::uuid`;
  const isMemberOf = (library: Statement<object[]>) => sql`
    exists (select from memberships where library_id = ${library} and user_id = ${user})`;
  const viewer = { user_id: user, default_library_id: sql`${hearer.default_library_id}::uuid` };
  return sql`
    case
      when event.event_type = 'library.deleted' then ${says('owner_user_id')} = ${user}
      when event.event_type like 'library.%' then ${isMemberOf(says('library_id'))}
      when event.event_type like 'invitation.%' then
        ${says('invitee_user_id')} = ${user}
        or exists (
          select from memberships
          where library_id = ${says('library_id')} and user_id = ${user} and role = 'admin'
        )
      when event.event_type = 'media.created' then
        ${says('created_by_user_id')} = ${user} and ${canReadMedia(sql, viewer, says('media_id'))}
      when event.event_type = 'media.deleted' then
        ${hearer.is_admin}::boolean or coalesce(event.payload -> 'user_ids' ? ${user}::text, false)
      when event.event_type like 'media.%' then ${canReadMedia(sql, viewer, says('media_id'))}
      when event.event_type like 'analysis.%' then
        ${seesWorkOnMedia(sql, viewer, { mediaId: says('document_id'), authorId: says('created_by_user_id') })}
      when event.event_type like 'backfill.%' then
        ${hearer.is_admin}::boolean
        or (${says('user_id')} = ${user} and ${isMemberOf(says('source_library_id'))})
      when event.event_type like 'job.%' then
        ${hearer.is_admin}::boolean or ${says('created_by_user_id')} = ${user}
      else ${hearer.is_admin}::boolean
    end`;
}
