// One step of the load: a number of connections, spread over the servers, for some seconds.
import http from 'node:http';
import { ask } from '../http/load.mjs';
import { percentile } from '../jobs/statistics.mjs';
import { coresUsed, cpuSeconds } from '../machine.mjs';
import { MIX } from './mix.mjs';

const SAMPLE_MS = 200;

/**
 * Keeps `connections` connections busy: each sends its next request when it has its answer, always to the same server.
 * Returns how many were answered and how fast, the CPU that every part used, and what connections of the database waited for.
 */
export async function runStep({ servers, connections, seconds, nextRequest, postmaster, sql }) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  const latencies = Object.fromEntries(Object.keys(MIX).map((kind) => [kind, []]));
  const statuses = {};
  let bytes = 0;
  let errors = 0;
  const roots = { servers: servers.map(({ pid }) => pid), postgresql: [postmaster] };
  const end = performance.now() + seconds * 1000;
  const connection = async (number) => {
    const { port } = servers[number % servers.length];
    while (performance.now() < end) {
      const { kind, ...request } = nextRequest();
      const began = performance.now();
      try {
        const answer = await ask({ agent, port, ...request });
        statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
        bytes += answer.bytes;
        if (answer.status >= 400) errors += 1;
        else latencies[kind].push(performance.now() - began);
      } catch (error) {
        statuses[error.code] = (statuses[error.code] ?? 0) + 1;
        errors += 1;
      }
    }
  };
  const waits = watchWaits(sql);
  const before = await cpuSeconds(roots);
  await Promise.all(Array.from({ length: connections }, (_, number) => connection(number)));
  const after = await cpuSeconds(roots);
  const used = coresUsed(before, after);
  agent.destroy();
  const all = Object.values(latencies).flat();
  return {
    connections,
    requests_per_second: Math.round(all.length / used.elapsed),
    p50_ms: round(percentile(all, 0.5)),
    p99_ms: round(percentile(all, 0.99)),
    p99_ms_by_kind: mapValues(latencies, (values) => round(percentile(values, 0.99) ?? 0)),
    errors,
    statuses,
    megabytes_per_second: round(bytes / 1e6 / used.elapsed),
    cores: {
      servers: used.trees.servers.map(round),
      postgresql: round(used.trees.postgresql[0]),
      load_generator: round(used.trees.self[0]),
      others: round(used.others),
      machine: round(used.machine),
    },
    cpu_seconds: {
      servers: round(sum(used.trees.servers) * used.elapsed),
      postgresql: round(used.trees.postgresql[0] * used.elapsed),
      load_generator: round(used.trees.self[0] * used.elapsed),
    },
    // Depends little on how busy the machine is.
    cpu_ms_per_request: {
      servers: round((sum(used.trees.servers) * used.elapsed * 1000) / all.length),
      postgresql: round((used.trees.postgresql[0] * used.elapsed * 1000) / all.length),
    },
    database_sessions: await waits.stop(),
  };
}

/** Samples what the active sessions of the database wait for; `CPU` are those that wait for nothing. Returns averages. */
function watchWaits(sql) {
  const counts = {};
  const samples = [];
  const sample = async () => {
    const rows = await sql`
      select coalesce(wait_event_type || ':' || wait_event, 'CPU') as wait, count(*)::int as count
      from pg_stat_activity
      where state = 'active' and pid <> pg_backend_pid() and backend_type = 'client backend'
      group by wait`;
    for (const { wait, count } of rows) counts[wait] = (counts[wait] ?? 0) + count;
  };
  const timer = setInterval(() => samples.push(sample()), SAMPLE_MS);
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(samples);
      return mapValues(counts, (count) => round(count / samples.length));
    },
  };
}

const sum = (values) => values.reduce((total, value) => total + value, 0);
const round = (value) => Number(value.toFixed(2));
const mapValues = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
