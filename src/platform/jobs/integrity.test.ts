import { beforeEach, expect, test } from 'vitest';
import { useDatabase } from '../../../test/support/database.ts';
import { findings } from '../../../test/support/libraries.ts';
import { newId } from '../ids.ts';
import { createJobCheck } from './integrity.ts';

const { sql } = useDatabase();
const check = createJobCheck(sql);
const look = () => findings(sql, check);
const repair = () => findings(sql, check, { repair: true });

/** Each test damages something, and leaves it repaired. */
beforeEach(async () => expect(await look()).toEqual([]));

const leftovers = {
  queued_without_job: (id: string) =>
    sql`insert into job_queue (job_id, due_at, priority, queue) values (${id}, 'infinity', 5, 'default')`,
  attempt_without_job: (id: string) => sql`
    insert into job_attempts (job_id, attempt_number, status, worker, started_at, runtime_ms)
    values (${id}, 1, 'succeeded', 'somebody', now(), 1)`,
  artifact_without_job: (id: string) => sql`
    insert into job_artifacts (id, job_id, artifact_type) values (${newId()}, ${id}, 'analyze_result')`,
};

test.each(Object.entries(leftovers))('repairs %s', async (kind, damage) => {
  const id = newId();
  await damage(id);
  expect(await look()).toEqual([{ kind, id }]);
  expect(await repair()).toEqual([{ kind, id }]);
});

test('reports the attempts of one job once, and leaves those of existing jobs', async () => {
  const [gone, kept] = [newId(), newId()];
  await sql`insert into jobs (id, job_type, queue) values (${kept}, 'kept', 'default')`;
  await sql`
    insert into job_attempts (job_id, attempt_number, status, worker, started_at, runtime_ms)
    select id, number, 'succeeded', 'somebody', now(), 1
    from unnest(${[gone, kept]}::uuid[]) as job (id)
    cross join generate_series(1, 3) as number`;
  expect(await repair()).toEqual([{ kind: 'attempt_without_job', id: gone }]);
  expect(await sql`select from job_attempts where job_id = ${kept}`).toHaveLength(3);
  expect(await sql`select from job_attempts where job_id = ${gone}`).toHaveLength(0);
});

test('finds rows beyond the first ten thousand', async () => {
  await sql`
    insert into job_attempts (job_id, attempt_number, status, worker, started_at, runtime_ms)
    select gen_random_uuid(), 1, 'succeeded', 'somebody', now(), 1 from generate_series(1, 20500)`;
  expect(await look()).toHaveLength(20_500);
  expect(await repair()).toHaveLength(20_500);
});

test('reports a job that neither waits nor ended, and leaves it to a person', async () => {
  const id = newId();
  await sql`insert into jobs (id, job_type, queue) values (${id}, 'lost', 'default')`;
  expect(await repair()).toEqual([{ kind: 'job_without_end', id }]);
  expect(await look()).toEqual([{ kind: 'job_without_end', id }]);
  await sql`delete from jobs where id = ${id}`;
});
