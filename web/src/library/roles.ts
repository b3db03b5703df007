import type { Library, LibraryRole } from '../api/types.ts';

const NAMES: Record<LibraryRole, string> = { member: 'Reader', contributor: 'Contributor', admin: 'Editor' };

export const ROLE_OPTIONS = (Object.keys(NAMES) as LibraryRole[]).map((value) => ({
  value,
  label: NAMES[value],
}));

/** The name of a role in sentences: `as an editor`. */
export const roleName = (role: LibraryRole) =>
  `${role === 'admin' ? 'an' : 'a'} ${NAMES[role].toLowerCase()}`;

/** A sentence that says what a member with this role may do. */
export function rightsOf(role: LibraryRole, subject: 'You' | 'They'): string {
  const rights = {
    member: 'read everything in this library',
    contributor: `read everything in this library, add items, and remove items that ${subject.toLowerCase()} added`,
    admin: 'add and remove items, and manage the tags and the members',
  };
  return `${subject} can ${rights[role]}.`;
}

export const mayAddTo = ({ role }: Pick<Library, 'role'>) => role !== 'member';
