import { expect, test } from 'vitest';
import { call, DEV_KEYS } from '../support/call.ts';
import { useDatabase } from '../support/database.ts';
import { type NexusProcess, startNexus } from '../support/nexus-process.ts';

const database = useDatabase();
const { sql } = database;

/** Each round kills a process while it answers many requests. */
const ROUNDS = 3;
const REQUESTS = 30;

const start = () => startNexus(['serve', '--no-worker'], { env: { NEXUS_DATABASE_URL: database.url } });

/** Creates a library. Undefined when the process was killed before it had answered. */
async function create(url: string, name: string) {
  const headers = { 'idempotency-key': name.replaceAll(' ', '-') };
  const body = { name };
  return call(url, 'POST', '/api/v1/libraries', { key: DEV_KEYS.researcher, body, headers }).catch(
    () => undefined,
  );
}

test('requests that are sent again after a kill are carried out once, and what was answered is there', async () => {
  const names: string[] = [];
  const answered = new Map<string, string>();
  let nexus: NexusProcess = start();
  for (let round = 0; round < ROUNDS; round++) {
    const url = await nexus.ready();
    const own = Array.from({ length: REQUESTS }, (_, index) => `library ${round}-${index}`);
    names.push(...own);
    const sent = own.map(async (name, index) => {
      const answer = await create(url, name);
      if (answer?.status === 201) answered.set(name, answer.body.data.id);
      // The kill comes while the others are under way.
      if (index === round * 5) nexus.child.kill('SIGKILL');
    });
    await Promise.all(sent);
    await nexus.exited;
    nexus = start();
  }
  const url = await nexus.ready();
  const repeated = await Promise.all(names.map(async (name) => ({ name, again: await create(url, name) })));
  for (const { name, again } of repeated) {
    // 409: it was carried out, and its answer was lost with the process.
    expect([201, 409]).toContain(again?.status);
    if (answered.has(name)) expect(again?.body.data.id).toBe(answered.get(name));
  }
  const rows = await sql<{ name: string; count: number }[]>`
    select name, count(*) from libraries where name like 'library %' group by name`;
  expect(rows.map(({ name }) => name).sort()).toEqual([...names].sort());
  expect(rows.filter(({ count }) => count !== 1)).toEqual([]);
  expect(answered.size).toBeGreaterThan(0);
  expect(answered.size).toBeLessThan(names.length);
  await nexus.stop();
});
