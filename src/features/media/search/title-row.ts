import type { Transaction } from '../../../platform/database/database.ts';
import { insertSearchRows, searchRowsOf } from './search-rows.ts';

/** Rebuilds the one search row of a media that contains its title: the others of a long book take seconds. */
export async function rebuildTitleRow(tx: Transaction, mediaId: string): Promise<void> {
  await tx`delete from media_search where media_id = ${mediaId} and idx = 0`;
  await insertSearchRows(tx, searchRowsOf(tx, tx`media.id = ${mediaId} and piece.idx = 0`));
}
