import { expect, test } from 'vitest';
import { useDatabase } from '../../../test/support/database.ts';
import { readJob, useJobs } from '../../../test/support/jobs.ts';
import { idAt } from '../ids.ts';
import { recordAudit } from './audit.ts';
import { periodicAuditRetention } from './retention.ts';

const database = useDatabase();
const { sql } = database;
const jobs = useJobs(database);
const DAYS = 365;
const retention = periodicAuditRetention(sql, DAYS).type as never;

test('old entries are deleted in batches, and newer ones stay', async () => {
  const age = (days: number, count: number) => {
    const date = new Date(Date.now() - days * 86_400_000);
    const ids = Array.from({ length: count }, () => idAt(date));
    return sql`
      insert into audit_logs (id, action, created_at)
      select id, ${`aged ${days} days`}, ${date} from unnest(${ids}::uuid[]) as aged (id)`;
  };
  await age(DAYS + 1, 2500);
  await age(DAYS - 1, 3);
  await recordAudit(sql, { action: 'new', actor: { name: 'test' } });
  const { id } = await jobs.enqueue(retention);
  await (await jobs.work([retention], { queues: ['maintenance'], untilEmpty: true })).stopped;
  expect(await readJob(sql, id)).toMatchObject({ status: 'succeeded', result: { deleted: 2500 } });
  const left = await sql`select action, count(*) from audit_logs group by action order by action`;
  expect([...left]).toEqual([
    { action: `aged ${DAYS - 1} days`, count: 3 },
    { action: 'new', count: 1 },
  ]);
});

test('an entry stays until its time is old enough, whatever the clock of its id said', async () => {
  const id = idAt(new Date(Date.now() - (DAYS + 1) * 86_400_000));
  await sql`insert into audit_logs (id, action) values (${id}, 'young')`;
  await jobs.enqueue(retention);
  await (await jobs.work([retention], { queues: ['maintenance'], untilEmpty: true })).stopped;
  expect(await sql`select from audit_logs where id = ${id}`).toHaveLength(1);
});
