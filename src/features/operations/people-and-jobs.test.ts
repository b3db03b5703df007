import { beforeEach, describe, expect, test } from 'vitest';
import { useApp } from '../../../test/app.ts';
import { useDatabase } from '../../../test/database.ts';
import { createReader, findings } from '../../../test/libraries.ts';
import { newId } from '../../platform/ids.ts';
import { createPeopleAndJobsCheck } from './people-and-jobs.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);
const check = createPeopleAndJobsCheck(sql);
const look = () => findings(sql, check);
const mend = () => findings(sql, check, { repair: true });

/** Each test breaks something, and leaves it mended. */
beforeEach(async () => expect(await look()).toEqual([]));

describe('found, and mended', () => {
  const ownRole = async (library: string) =>
    [...(await sql`select role from memberships where library_id = ${library}`)].map(({ role }) => role);

  test.each([
    ['is not in it', (library: string) => sql`delete from memberships where library_id = ${library}`],
    [
      'is no admin of it',
      (library: string) => sql`update memberships set role = 'member' where library_id = ${library}`,
    ],
  ])('a default library whose owner %s', async (_what, damage) => {
    const { defaultLibraryId } = await createReader(app);
    await damage(defaultLibraryId);
    const found = [{ kind: 'default_library_without_its_owner', id: defaultLibraryId }];
    expect(await look()).toEqual(found);
    expect(await mend()).toEqual(found);
    expect(await ownRole(defaultLibraryId)).toEqual(['admin']);
  });

  const leftOver = {
    queued_without_job: (id: string) =>
      sql`insert into job_queue (job_id, due_at, priority, queue) values (${id}, 'infinity', 5, 'default')`,
    attempt_without_job: (id: string) => sql`
      insert into job_attempts (job_id, attempt_number, status, worker, started_at, runtime_ms)
      values (${id}, 1, 'succeeded', 'somebody', now(), 1)`,
    artifact_without_job: (id: string) => sql`
      insert into job_artifacts (id, job_id, artifact_type) values (${newId()}, ${id}, 'analyze_result')`,
  };

  test.each(Object.entries(leftOver))('%s', async (kind, damage) => {
    const id = newId();
    await damage(id);
    expect(await look()).toEqual([{ kind, id }]);
    expect(await mend()).toEqual([{ kind, id }]);
  });

  test('attempts of one job once, and nothing of jobs that are there', async () => {
    const [gone, kept] = [newId(), newId()];
    await sql`insert into jobs (id, job_type, queue) values (${kept}, 'kept', 'default')`;
    await sql`
      insert into job_attempts (job_id, attempt_number, status, worker, started_at, runtime_ms)
      select id, number, 'succeeded', 'somebody', now(), 1
      from unnest(${[gone, kept]}::uuid[]) as job (id)
      cross join generate_series(1, 3) as number`;
    expect(await mend()).toEqual([{ kind: 'attempt_without_job', id: gone }]);
    expect(await sql`select from job_attempts where job_id = ${kept}`).toHaveLength(3);
    expect(await sql`select from job_attempts where job_id = ${gone}`).toHaveLength(0);
  });

  test('behind the first ten thousand rows, too', async () => {
    await sql`
      insert into job_attempts (job_id, attempt_number, status, worker, started_at, runtime_ms)
      select gen_random_uuid(), 1, 'succeeded', 'somebody', now(), 1 from generate_series(1, 20500)`;
    expect(await look()).toHaveLength(20_500);
    expect(await mend()).toHaveLength(20_500);
  });
});

describe('found, and left to a person', () => {
  test('a default library that is not marked as one', async () => {
    const { id, defaultLibraryId } = await createReader(app);
    const mark = (is: boolean) => sql`update libraries set is_default = ${is} where id = ${defaultLibraryId}`;
    await mark(false);
    expect(await mend()).toEqual([{ kind: 'default_library_not_default', id }]);
    expect(await look()).toEqual([{ kind: 'default_library_not_default', id }]);
    await mark(true);
  });

  test('a job that is nowhere', async () => {
    const id = newId();
    await sql`insert into jobs (id, job_type, queue) values (${id}, 'lost', 'default')`;
    expect(await mend()).toEqual([{ kind: 'job_without_end', id }]);
    expect(await look()).toEqual([{ kind: 'job_without_end', id }]);
    await sql`delete from jobs where id = ${id}`;
  });
});
