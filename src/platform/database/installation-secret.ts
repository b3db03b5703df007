import { randomBytes } from 'node:crypto';
import type { Database } from './database.ts';

/** A key that the installation made for itself: one for all its processes, whichever made it first. */
export function installationSecret(sql: Database, name: string): () => Promise<Buffer> {
  let known: Buffer | undefined;
  return async () => {
    known ??= await findOrMake(sql, name);
    return known;
  };
}

async function findOrMake(sql: Database, name: string): Promise<Buffer> {
  await sql`
    insert into installation_secrets (name, value) values (${name}, ${randomBytes(32)}) on conflict do nothing`;
  const [row] = await sql<[{ value: Buffer }]>`select value from installation_secrets where name = ${name}`;
  return row.value;
}
