import { expect, test } from 'vitest';
import { useDatabase } from '../../../test/support/database.ts';
import { readJob, useJobs } from '../../../test/support/jobs.ts';
import { recordAudit } from './audit.ts';
import { periodicAuditRetention } from './retention.ts';

const database = useDatabase();
const { sql } = database;
const jobs = useJobs(database);
const DAYS = 365;
const retention = periodicAuditRetention(sql, DAYS).type as never;

test('old entries are deleted in batches, and newer ones stay', async () => {
  const age = (days: number, count: number) => sql`
    insert into audit_logs (id, action, created_at)
    select gen_random_uuid(), ${`aged ${days} days`}, now() - ${days} * interval '1 day'
    from generate_series(1, ${count})`;
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

test('the oldest entries are found by an index', async () => {
  await sql`
    insert into audit_logs (id, action, created_at)
    select gen_random_uuid(), 'many', now() - n * interval '1 minute' from generate_series(1, 20000) as n`;
  await sql`analyze audit_logs`;
  const plan = await sql<{ 'QUERY PLAN': string }[]>`
    explain select id from audit_logs where created_at < now() - ${10} * interval '1 day' order by created_at, id limit 1000`;
  expect(plan.map((line) => line['QUERY PLAN']).join('\n')).toContain('audit_logs_time_idx');
});
