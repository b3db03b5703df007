// Says where the limit of a number of servers lies, from the steps that were measured.

/** The p99 that must hold. */
export const BOUND_MS = 250;
/** Throughput has stopped growing when more connections add less than this share. */
const LEAST_GROWTH = 1.05;
/** A process of one thread is busy from here on. */
const BUSY_CORE = 0.9;
/** All cores are busy from here on. */
const BUSY_MACHINE = 0.93;

/** Whether more connections would show nothing new: latency is broken, and throughput no longer grows. */
export function isOver(steps) {
  const last = steps.at(-1);
  const earlier = steps.slice(0, -1).map(({ requests_per_second }) => requests_per_second);
  const hasStopped = steps.length > 2 && last.requests_per_second < Math.max(...earlier) * LEAST_GROWTH;
  return last.p99_ms > BOUND_MS && hasStopped;
}

/** Returns the best step within the bound, the highest throughput of all steps, and the part that limits it. */
export function findLimit(steps, cores) {
  const most = (among) =>
    among.reduce((a, b) => (a.requests_per_second >= b.requests_per_second ? a : b), among[0]);
  const peak = most(steps);
  const within = most(steps.filter(({ p99_ms, errors }) => p99_ms <= BOUND_MS && errors === 0));
  const broken = steps.find(({ p99_ms }) => p99_ms > BOUND_MS);
  return {
    requests_per_second_within_bound: within?.requests_per_second ?? 0,
    connections_within_bound: within?.connections ?? 0,
    p99_ms_within_bound: within?.p99_ms ?? null,
    latency_breaks_at_connections: broken?.connections ?? null,
    peak_requests_per_second: peak.requests_per_second,
    limited_by: limitedBy(peak, cores),
  };
}

function limitedBy({ cores: used }, cores) {
  const busiest = Math.max(...used.servers);
  const servers = used.servers.reduce((sum, value) => sum + value, 0);
  const parts = [
    ['the servers', servers],
    ['PostgreSQL', used.postgresql],
    ['the load generator', used.load_generator],
    ['other processes', used.others],
  ].sort((a, b) => b[1] - a[1]);
  const shares = parts.map(([name, value]) => `${name} ${value.toFixed(2)}`).join(', ');
  if (used.load_generator > BUSY_CORE) return `the load generator, which uses a whole core (${shares})`;
  if (used.machine > cores * BUSY_MACHINE) return `all ${cores} cores of the machine (${shares})`;
  if (busiest > BUSY_CORE) return `a server process, which uses a whole core (${shares})`;
  return `waiting: no core is busy all the time (${shares})`;
}
