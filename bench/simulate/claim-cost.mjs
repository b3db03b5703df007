// Measures how much CPU time of PostgreSQL a claim takes, and how long it takes.
import { z } from 'zod';
import { transaction } from '../../src/platform/database/transaction.ts';
import { newId } from '../../src/platform/ids.ts';
import { claim } from '../../src/platform/jobs/claim/claim.ts';
import { defineJobType } from '../../src/platform/jobs/job-type.ts';
import { enqueueMany } from '../../src/platform/jobs/submit/enqueue.ts';
import { openLane } from '../../src/platform/work/lanes.ts';
import { coresUsed, cpuSeconds } from '../machine.mjs';

const BATCH = 100;

/** Returns the cost of a claim that finds nothing, and of each job that it finds; removes its jobs afterwards. */
export async function measureClaims({ sql, postmaster }, rounds) {
  const type = defineJobType('bench', {
    queue: 'bench',
    payload: z.strictObject({}),
    handler: async () => undefined,
  });
  const lane = openLane(sql);
  const workerId = newId();
  await sql`
    insert into workers (id, name, queues, concurrency, lease_expires_at)
    values (${workerId}, 'bench', '{bench}', 1, now() + interval '1 hour')`;
  const measure = async (times, want, found) => {
    const roots = { postgresql: [postmaster] };
    const before = await cpuSeconds(roots);
    for (let n = 0; n < times; n++) {
      const jobs = await claim(lane, { workerId, queues: ['bench'], want, token: newId() });
      if (jobs.length !== found) throw new Error(`A claim returned ${jobs.length} jobs.`);
    }
    const { trees, elapsed } = coresUsed(before, await cpuSeconds(roots));
    return { cpuMs: (trees.postgresql[0] * elapsed * 1000) / times, ms: (elapsed * 1000) / times };
  };
  try {
    await measure(50, BATCH, 0);
    const empty = await measure(rounds * 10, BATCH, 0);
    for (let n = 0; n < rounds; n++)
      await transaction(sql, (tx) =>
        enqueueMany(
          tx,
          Array.from({ length: BATCH }, () => ({ type, payload: {} })),
        ),
      );
    const full = await measure(rounds, BATCH, BATCH);
    return {
      fixedMs: empty.cpuMs,
      perJobMs: Math.max(0, full.cpuMs - empty.cpuMs) / BATCH,
      roundTripMs: Math.max(0, empty.ms - empty.cpuMs),
    };
  } finally {
    await lane.end();
    await sql`delete from job_queue where queue = 'bench'`;
    await sql`delete from jobs where queue = 'bench'`;
    await sql`delete from workers where id = ${workerId}`;
  }
}
