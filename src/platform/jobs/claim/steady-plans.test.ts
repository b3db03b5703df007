import { afterAll, beforeAll, expect, test } from 'vitest';
import { useDatabase } from '../../../../test/support/database.ts';
import { newId } from '../../ids.ts';
import { STEADY_PLANS } from '../../work/lanes.ts';
import type { Outcome } from '../settle/endings.ts';
import { settle } from '../settle/settle.ts';
import { claim, findNextDue } from './claim.ts';

const database = useDatabase();
const { sql } = database;
const queue = sql.sibling({ poolSize: 1, settings: STEADY_PLANS });
const worker = { id: newId(), name: 'a worker' };

beforeAll(async () => {
  await sql`
    insert into workers (id, name, queues, concurrency, lease_expires_at)
    values (${worker.id}, ${worker.name}, '{default}', 1, now() + interval '1 hour')`;
  await sql`vacuum analyze`;
  const unknown = { id: newId(), attempt: 1, lease_token: newId() } as Outcome['job'];
  // After five of them, PostgreSQL keeps a plan for any values.
  for (let i = 0; i < 8; i++) {
    await claim(queue, { workerId: worker.id, queues: ['default', 'aside'], want: 10, token: newId() });
    await findNextDue(queue, ['default', 'aside'], null);
    await settle(queue, worker.name, [
      { kind: 'succeeded', job: unknown, runtimeMs: 1, result: null },
      { kind: 'released', job: unknown },
    ]);
  }
  await sql`
    with fresh as (
      insert into jobs (id, job_type, queue)
      select gen_random_uuid(), 'noop', 'default' from generate_series(1, 30000)
      returning id
    )
    insert into job_queue (job_id, queue, priority, due_at)
    select id, 'default', 5, now() from fresh`;
});
afterAll(() => queue.end());

/** The end of each statement, by which it is found among those that the connection has prepared. */
const ENDS: Record<string, string> = {
  claim: 'order by claimed.priority desc, claimed.due_at, claimed.job_id',
  'find next due': ') as soonest',
  'settle ended': 'from ended',
  'settle returned': 'from returned',
};

/** The plan that is kept for a statement, and what it does when it claims or settles a thousand jobs. */
async function keptPlan(statement: string): Promise<string> {
  const client = await queue.connect();
  try {
    const { rows: prepared } = await client.query(
      `select name, cardinality(parameter_types)::int as count
       from pg_prepared_statements
       where statement like '%' || $1`,
      [ENDS[statement]],
    );
    expect(prepared).toHaveLength(1);
    const [{ name, count }] = prepared;
    await client.query('set plan_cache_mode = force_generic_plan');
    const { rows } = await client.query(`explain execute ${name}(${Array(count).fill('null').join(', ')})`);
    await client.query('reset plan_cache_mode');
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  } finally {
    client.release();
  }
}

const settling = ['settle ended', 'settle returned'];

test.each(['claim', 'find next due', ...settling])(
  'the plan that %s made while the queue was empty reads neither queue nor jobs as a whole',
  async (name) => {
    const plan = await keptPlan(name);
    expect(plan).toMatch(/Index (Only )?Scan using (job_queue_claim_idx|job_queue_pkey) on job_queue/);
    expect(plan).not.toMatch(/Seq Scan on (job_queue|jobs)\b/);
    // An index scan without a condition reads everything, too.
    for (const scan of plan.matchAll(/Index (?:Only )?Scan using \w+ on (?:job_queue|jobs).*\n(.*)/g)) {
      expect(scan[1]).toContain('Index Cond');
    }
  },
);

test.each(settling)('%s compares a thousand jobs without comparing each with each', async (name) => {
  const plan = await keptPlan(name);
  expect(plan).toMatch(/Hash Join/);
  expect(plan).not.toMatch(/Nested Loop/);
});
