import { NexusError } from '../../../contract/errors.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import { findLibrary, type MemberLibrary } from '../store.ts';
import { mayRead, type Viewer } from './can-read-media.ts';

/** Throws 404 for people who are not members: they cannot tell whether the library exists. */
export function requireMember<L extends MemberLibrary>(library: L | undefined): L {
  if (library) return library;
  throw new NexusError('E_LIBRARY_NOT_FOUND', 'This library does not exist, or you are not a member.');
}

/** Returns the library as its member sees it. */
export async function requireMembership(sql: Queryable, userId: string, libraryId: string) {
  return requireMember(await findLibrary(sql, userId, libraryId));
}

export function requireAdmin(found: MemberLibrary | undefined): MemberLibrary {
  const library = requireMember(found);
  if (library.role === 'admin') return library;
  throw new NexusError('E_FORBIDDEN', 'Only admins of this library can do this.');
}

export function requireOwner(found: MemberLibrary | undefined, userId: string): MemberLibrary {
  const library = requireMember(found);
  if (library.owner_user_id === userId) return library;
  throw new NexusError('E_OWNER_REQUIRED', 'Only the owner of this library can do this.');
}

export function refuseDefault(library: MemberLibrary): void {
  if (!library.is_default) return;
  throw new NexusError(
    'E_DEFAULT_LIBRARY_FORBIDDEN',
    'A default library cannot be shared, renamed, deleted or transferred.',
  );
}

/** Throws 404 for media that do not exist and for media that the viewer may not read, so that nobody can tell them apart. */
export async function requireReadable(sql: Queryable, viewer: Viewer, mediaId: string): Promise<void> {
  if (!(await mayRead(sql, viewer, mediaId))) mediaNotFound();
}

export function mediaNotFound(): never {
  throw new NexusError('E_MEDIA_NOT_FOUND', 'This item is gone, or you no longer have access.');
}
