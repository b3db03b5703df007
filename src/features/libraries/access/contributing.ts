import { NexusError } from '../../../contract/errors.ts';
import type { LibraryRole } from '../../../contract/libraries.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import type { SqlFragment } from '../../../platform/database/statement.ts';
import type { MemberLibrary } from '../store.ts';
import { requireMember } from './access.ts';
import { isSavedBy, type Viewer } from './can-read-media.ts';

/*
 * The rules for changing the contents of a shared library. Admins add and remove media. Contributors add media, and remove those
 * that they added themselves. Other members only read.
 */

const CONTRIBUTING: readonly LibraryRole[] = ['admin', 'contributor'];

/** Whether a member may add media to the library. */
export function mayContribute(library: MemberLibrary | undefined): boolean {
  return library !== undefined && CONTRIBUTING.includes(library.role);
}

/** Requires a role that may add media to the library. */
export function requireContributor(found: MemberLibrary | undefined): MemberLibrary {
  const library = requireMember(found);
  if (mayContribute(library)) return library;
  throw new NexusError(
    'E_FORBIDDEN',
    'Only admins and contributors of this library can add or remove items.',
  );
}

/** Whether a membership's role may add media to its library. A predicate for use inside a statement. */
export function mayAdd(sql: Queryable, role: SqlFragment) {
  return sql`${role} = any(${CONTRIBUTING}::text[])`;
}

/** A membership and a row of `library_media` of the same library, by their names in a statement. */
interface Listing {
  role: SqlFragment | LibraryRole;
  addedBy: SqlFragment;
  userId: string;
}

/** Whether a member may remove or retry a media that their library lists. A predicate for use inside a statement. */
function mayManageListing(sql: Queryable, { role, addedBy, userId }: Listing) {
  return sql`(${role}::text = 'admin' or (${role}::text = 'contributor' and ${addedBy} = ${userId}))`;
}

export function notTheirs(): never {
  throw new NexusError('E_FORBIDDEN', 'Contributors can remove only items that they added themselves.');
}

/**
 * Returns those of the media that the member may remove from a library that the caller has locked, and those that the
 * library does not list: removing them changes nothing.
 */
export async function listRemovable(
  sql: Queryable,
  library: MemberLibrary,
  userId: string,
  mediaIds: string[],
): Promise<Set<string>> {
  const listing = { role: library.role, addedBy: sql`listed.added_by_user_id`, userId };
  const refused = await sql<{ media_id: string }[]>`
    select listed.media_id
    from library_media as listed
    where listed.library_id = ${library.id}
      and listed.media_id = any(${mediaIds}::uuid[])
      and ${mayManageListing(sql, listing)} is not true`;
  const others = new Set(refused.map(({ media_id }) => media_id));
  return new Set(mediaIds.filter((id) => !others.has(id)));
}

/**
 * Whether the viewer may retry a readable media of the statement: they saved it, are an admin of a library that
 * contains it, or added it to a library as its contributor. The lifecycle decides whether there is anything to retry.
 *
 * `offset 0` makes PostgreSQL check row by row; without it, it may hash everything in the viewer's libraries.
 */
export function mayRetryMedia(sql: Queryable, viewer: Viewer) {
  const listing = { role: sql`joined.role`, addedBy: sql`held.added_by_user_id`, userId: viewer.user_id };
  return sql`(
    ${isSavedBy(sql, viewer, sql`media.id`)}
    or exists (
      select
      from memberships as joined
      join libraries as holder on holder.id = joined.library_id and not holder.is_default
      join library_media as held on held.library_id = holder.id and held.media_id = media.id
      where joined.user_id = ${viewer.user_id} and ${mayManageListing(sql, listing)}
      offset 0
    )
  )`;
}
