import { expect, test } from 'vitest';
import { useDatabase } from '../../../test/support/database.ts';
import { dumpSchema } from '../../../test/support/schema-dump.ts';

const database = useDatabase();

test('schema.sql equals the migrated schema; `npm run schema` updates it', async () => {
  await expect(await dumpSchema(database.sql)).toMatchFileSnapshot('../../../schema.sql');
});
