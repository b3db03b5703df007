import type { Transaction } from '../../platform/database/database.ts';

/** The library that every person has from the beginning: theirs alone, and there for as long as they are. */
export async function createDefaultLibrary(
  tx: Transaction,
  libraryId: string,
  ownerId: string,
): Promise<void> {
  await tx`
    insert into libraries (id, name, owner_user_id, is_default)
    values (${libraryId}, 'My library', ${ownerId}, true)`;
  await tx`
    insert into memberships (library_id, user_id, role)
    values (${libraryId}, ${ownerId}, 'admin')`;
}
