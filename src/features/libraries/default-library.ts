import type { Transaction } from '../../platform/database/database.ts';

/** Creates the default library of a new user. */
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
