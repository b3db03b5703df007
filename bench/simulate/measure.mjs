// Measures real workers: pages of a site are saved over the API, and the attempts of their jobs are read from the database.
import { setTimeout as pause } from 'node:timers/promises';
import { ask } from '../http/load.mjs';
import { coresUsed, cpuSeconds, watchOthers } from '../machine.mjs';
import { startWorker } from '../nexus.mjs';
import { poissonArrivals } from './arrivals.mjs';

const POLL_MS = 200;
const WARM_UP_PAGES = 16;
/** Every point has its own pages, so that none is known already. */
const NUMBERS_PER_POINT = 100_000;
const WARM_UP_NUMBERS = 50_000;

let points = 0;

/** Saves pages at random times for some seconds while so many workers run. Returns all attempts, and the CPU used. */
export async function measurePoint(world, { workers: count, concurrency, perSecond, seconds, seed }) {
  const { sql, server, site, database, postmaster } = world;
  const firstNumber = ++points * NUMBERS_PER_POINT;
  const workers = await Promise.all(
    Array.from({ length: count }, () =>
      startWorker(database, {
        NEXUS_WORKER_CONCURRENCY: String(concurrency),
        NEXUS_EGRESS_ALLOW: `127.0.0.1:${site.port}`,
      }),
    ),
  );
  try {
    await Promise.all(
      Array.from({ length: WARM_UP_PAGES * count }, (_, n) => save(world, firstNumber + WARM_UP_NUMBERS + n)),
    );
    await untilDone(sql);
    const roots = {
      workers: workers.map(({ pid }) => pid),
      server: [server.pid],
      postgresql: [postmaster],
    };
    const [{ began }] = await sql`select clock_timestamp() as began`;
    const others = watchOthers(roots);
    const before = await cpuSeconds(roots);
    const pages = poissonArrivals({ perSecond, seconds, seed, firstNumber });
    const start = performance.now();
    await Promise.all(
      pages.map(async ({ at, number }) => {
        await pause(at - (performance.now() - start));
        await save(world, number);
      }),
    );
    await untilDone(sql);
    const used = coresUsed(before, await cpuSeconds(roots));
    const attempts = await readAttempts(sql, began);
    const cpuMs = (name) => used.trees[name].reduce((sum, cores) => sum + cores, 0) * used.elapsed * 1000;
    return {
      workers: count,
      concurrency,
      pages: pages.length,
      per_second: perSecond,
      attempts,
      cpu_ms_per_page: {
        workers: cpuMs('workers') / pages.length,
        postgresql: cpuMs('postgresql') / pages.length,
        // The server that took the saves, the site and the script that saves.
        others: (cpuMs('server') + cpuMs('self')) / pages.length,
      },
      cores_of_others: used.others,
      threads_of_others: await others.stop(),
      seconds: used.elapsed,
    };
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
  }
}

async function save({ server, site, key }, number) {
  const { status, body } = await ask({
    port: server.port,
    method: 'POST',
    path: '/api/v1/media',
    headers: { 'x-nexus-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ url: `http://127.0.0.1:${site.port}/posts/${number}` }),
  });
  if (status !== 201) throw new Error(`A save was answered with ${status}: ${body}`);
}

async function untilDone(sql) {
  for (;;) {
    const [{ waiting }] = await sql`select count(*)::int as waiting from job_queue`;
    if (waiting === 0) return;
    await pause(POLL_MS);
  }
}

/** Returns the attempts since then, with the number of their page; times in milliseconds since the first was due. */
async function readAttempts(sql, since) {
  const rows = await sql`
    select
      jobs.job_type as kind,
      substring(media.canonical_url from '/posts/(\\d+)')::int as number,
      attempt.attempt_number as attempt,
      attempt.status,
      extract(epoch from attempt.due_at - ${since}::timestamptz)::float8 * 1000 as due,
      extract(epoch from attempt.started_at - ${since}::timestamptz)::float8 * 1000 as claimed,
      attempt.runtime_ms
    from job_attempts as attempt
    join jobs on jobs.id = attempt.job_id
    left join media on media.id = (jobs.payload ->> 'media_id')::uuid
    where attempt.due_at > ${since}::timestamptz
    order by attempt.due_at`;
  return rows.map((row) => ({ ...row }));
}
