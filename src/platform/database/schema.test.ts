import { expect, test } from 'vitest';
import { useDatabase } from '../../../test/database.ts';
import { dumpSchema } from '../../../test/schema-dump.ts';

const database = useDatabase();

test('schema.sql is what the migrations make; `npm run schema` writes it anew', async () => {
  await expect(await dumpSchema(database.sql)).toMatchFileSnapshot('../../../schema.sql');
});
