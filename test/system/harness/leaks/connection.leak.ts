import { test } from 'vitest';
import { openTestDatabase, useDatabase } from '../../../support/database.ts';

const database = useDatabase();

test('passes, and leaves a connection behind', async () => {
  await openTestDatabase(database.target)`select`;
});
