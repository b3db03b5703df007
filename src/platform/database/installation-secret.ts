import { randomBytes } from 'node:crypto';
import type { Database } from './database.ts';

/** Returns a function that reads a generated secret. All processes of an installation share it. */
export function installationSecret(sql: Database, name: string): () => Promise<Buffer> {
  let known: Buffer | undefined;
  return async () => {
    known ??= await findOrCreate(sql, name);
    return known;
  };
}

async function findOrCreate(sql: Database, name: string): Promise<Buffer> {
  await sql`
    insert into installation_secrets (name, value) values (${name}, ${randomBytes(32)}) on conflict do nothing`;
  const [row] = await sql<[{ value: Buffer }]>`select value from installation_secrets where name = ${name}`;
  return row.value;
}
