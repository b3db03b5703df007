// Raises the number of connections to 1, 2 and 4 servers on one PostgreSQL until latency breaks, with a mix of reads and
// saves. Writes bench/results/load.json. `--quick` measures briefly and writes nothing.
import { writeFile } from 'node:fs/promises';
import { withDatabase } from './database.mjs';
import { BOUND_MS, findLimit, isOver } from './load/limit.mjs';
import { MIX, mixedRequests } from './load/mix.mjs';
import { runStep } from './load/step.mjs';
import { makeReaders, QUICK, SIZES } from './load/world.mjs';
import { describeMachine } from './machine.mjs';
import { addressOf, startNexus } from './nexus.mjs';
import { seeded } from './random.mjs';

const isQuick = process.argv.includes('--quick');
const RESULTS = new URL('results/load.json', import.meta.url);
const SERVERS = [1, 2, 4];
const CONNECTIONS = isQuick ? [1, 8] : [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
const SECONDS = isQuick ? 1 : 6;
/** Long enough for the code of all processes to be compiled. */
const WARM_UP_SECONDS = isQuick ? 1 : 12;
const ROUNDS = isQuick ? 1 : 2;
const POOL_SIZE = 10;
const FIRST_PORT = 18480;
const SEED = 18;

const say = (line) => process.stdout.write(`${line}\n`);

/** Raises the connections to so many servers, step by step. */
async function sweep(count, { database, ...step }) {
  const servers = [];
  try {
    for (let n = 0; n < count; n++)
      servers.push(
        await startNexus(database, {
          NEXUS_PORT: String(FIRST_PORT + n),
          NEXUS_DATABASE_POOL_SIZE: String(POOL_SIZE),
        }),
      );
    await runStep({ ...step, servers, connections: 8 * count, seconds: WARM_UP_SECONDS });
    const steps = [];
    for (const connections of CONNECTIONS.filter((value) => value >= count)) {
      const measured = await runStep({ ...step, servers, connections, seconds: SECONDS });
      steps.push(measured);
      say(line(count, measured));
      if (isOver(steps)) break;
    }
    return steps;
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

function line(count, { connections, requests_per_second, p50_ms, p99_ms, errors, cores }) {
  return [
    `${count} servers`,
    `${String(connections).padStart(3)} connections`,
    `${String(requests_per_second).padStart(5)}/s`,
    `p50 ${p50_ms} ms`,
    `p99 ${p99_ms} ms`,
    `${errors} errors`,
    `cores: servers ${cores.servers.join(' + ')}, PostgreSQL ${cores.postgresql}, load ${cores.load_generator}, others ${cores.others}`,
  ].join('  ');
}

/** Keeps, for each number of connections, the round with the most requests: others use the machine, too. */
function bestOf(rounds) {
  const best = new Map();
  for (const step of rounds.flat()) {
    const known = best.get(step.connections);
    if (!known || known.requests_per_second < step.requests_per_second) best.set(step.connections, step);
  }
  return [...best.values()].sort((a, b) => a.connections - b.connections);
}

const machine = describeMachine();
await withDatabase(
  { poolSize: 4, statementTimeoutSeconds: 600, idleTransactionTimeoutSeconds: 600 },
  async (sql, target) => {
    say('filling the database …');
    const readers = await makeReaders(sql, isQuick ? QUICK : SIZES, (part) => say(`  ${part}`));
    const [{ postmaster }] = await sql`
      select split_part(pg_read_file('postmaster.pid'), chr(10), 1)::int as postmaster`;
    const step = {
      sql,
      postmaster,
      database: addressOf(target),
      nextRequest: mixedRequests(readers, seeded(SEED)),
    };
    const rounds = Object.fromEntries(SERVERS.map((count) => [count, []]));
    for (let round = 0; round < ROUNDS; round++)
      for (const count of SERVERS) rounds[count].push(await sweep(count, step));
    const results = SERVERS.map((count) => {
      const steps = bestOf(rounds[count]);
      return { servers: count, limit: findLimit(steps, machine.cores), steps };
    });
    for (const { servers, limit } of results)
      say(
        `${servers} servers: ${limit.requests_per_second_within_bound}/s within p99 ${BOUND_MS} ms, peak ${limit.peak_requests_per_second}/s; limited by ${limit.limited_by}`,
      );
    const report = {
      command: 'npm run bench -- load',
      measured_at: new Date().toISOString(),
      machine,
      mix_percent: MIX,
      readers: readers.length,
      world: SIZES,
      settings: { pool_size: POOL_SIZE, seconds_per_step: SECONDS, rounds: ROUNDS, bound_p99_ms: BOUND_MS },
      results,
    };
    if (!isQuick) await writeFile(RESULTS, `${JSON.stringify(report, null, 2)}\n`);
  },
);
