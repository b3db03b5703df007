import { expect, test } from 'vitest';
import { useDatabase } from '../../../test/support/database.ts';
import { dumpSchema } from '../../../test/support/schema-dump.ts';

const database = useDatabase();

test('schema.sql is what the migrations make; `npm run schema` writes it anew', async () => {
  await expect(await dumpSchema(database.sql)).toMatchFileSnapshot('../../../schema.sql');
});
