import type { Transaction } from '../../platform/database/database.ts';
import { insertLibrary } from './store.ts';

/** Creates the default library of a new user. */
export async function createDefaultLibrary(tx: Transaction, libraryId: string, ownerId: string) {
  await insertLibrary(tx, { id: libraryId, name: 'My library', owner_user_id: ownerId, is_default: true });
}
