import { expect, test } from 'vitest';
import { useDatabase } from '../../../../test/support/database.ts';
import { migrate, readMigrations } from '../../../platform/database/migrator.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import { newId } from '../../../platform/ids.ts';

const database = useDatabase({ template: 'template0' });

test('an upgrade builds the indexes of titles anew, and leaves texts to the background', async () => {
  // One connection, which has used the indexes before the functions change.
  const [sql] = database.twoConnections();
  const migrations = await readMigrations();
  const change = migrations.findIndex(({ name }) => name.endsWith('words_and_phrases'));
  await migrate(sql, migrations.slice(0, change));
  await transaction(sql, async (tx) => {
    // Neither users nor libraries are needed here.
    await tx`set local session_replication_role = replica`;
    const [mediaId, userId] = [newId(), newId()];
    await tx`
      insert into media (id, kind, title, created_by_user_id, charged_user_id, processing_status)
      values (${mediaId}, 'web_article', 'A “hello”', ${userId}, ${userId}, 'ready')`;
    await tx`insert into media_mine (user_id, media_id, title) values (${userId}, ${mediaId}, '«hello»')`;
    await tx`insert into media_search (media_id, idx, document) values (${mediaId}, 0, search_document('x'))`;
  });
  await migrate(sql, migrations);
  const found = await transaction(sql, async (tx) => {
    await tx`set local enable_seqscan = off`;
    return [
      await tx`select from media where search_document(title) @@ 'hello'`,
      await tx`
        select from media_mine where title is not null and personal_document(user_id, title) @@ 'hello'`,
      await tx`select from media_search where version = 1`,
    ].map(({ length }) => length);
  });
  expect(found).toEqual([1, 1, 1]);
});
