import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

/** The servers of one installation: a primary, which accepts writes, and its standbys. */
const SEVERAL_HOSTS = /^(\w+:\/\/(?:[^@/?]*@)?)([^/?]*,[^/?]*)(.*)$/s;
const PROBE_TIMEOUT_MS = 2000;
/** When one host accepts writes, how long the others may take to say that they do, too. */
const OTHERS_MS = 200;
const WATCH_MS = 3000;
/** New connections go to the host that was found, for as long. Then it is looked for again. */
const FOUND_FOR_MS = 1000;

/** Splits a URL with several hosts, written as libpq reads them, into one URL for each host. */
export function splitHosts(url: string): string[] {
  const [, before = '', hosts = '', after = ''] = SEVERAL_HOSTS.exec(url) ?? [];
  return hosts === '' ? [url] : hosts.split(',').map((host) => before + host + after);
}

/**
 * Creates a class of connections that look for the primary before they connect. While some are open, it is looked for every
 * few seconds, and connections to a host that does not accept writes are closed: a host that vanished, or was frozen, closes none
 * by itself. Several hosts may lead to the same primary, through poolers or proxies; then all of them stay.
 */
export function followPrimary(hosts: pg.ClientConfig[]): typeof pg.Client {
  const open = new Set<pg.Client>();
  let current: Primary | undefined;
  let search: Promise<Primary> | undefined;
  let searchedAt = 0;
  let watch: NodeJS.Timeout | undefined;

  /** Returns the primary. Connections that are opened at the same time share the search. */
  function primary(): Promise<Primary> {
    if (search === undefined || Date.now() - searchedAt > FOUND_FOR_MS) {
      searchedAt = Date.now();
      search = findPrimary();
      search.catch(() => {
        search = undefined;
      });
    }
    return search;
  }

  /** Finds the host that accepts writes: the one that is used already or, if it does not, the first in the URL. */
  async function findPrimary(): Promise<Primary> {
    const primaries = newestOf(await askHosts(hosts).soon);
    const used = primaries.find(({ host }) => host === current?.host);
    const first = hosts.map((host) => primaries.find((one) => one.host === host)).find(Boolean);
    const found = used ?? first;
    if (!found) throw new Error('A host that accepted writes is not among those that answered.');
    current = found;
    return found;
  }

  async function closeOthers(): Promise<void> {
    const { soon, all } = askHosts(hosts);
    const quick = newestOf(await soon);
    const wasPromoted = (quick[0]?.timeline ?? 0) > (current?.timeline ?? 0);
    // After a promotion, the host that does not answer is the old primary. Otherwise it may only be slow.
    const primaries = wasPromoted ? quick : newestOf(await all);
    for (const client of open)
      if (!primaries.some(({ host }) => isAt(client, host))) client.connection.stream.destroy();
  }

  function watchOver(client: pg.Client): void {
    open.add(client);
    // While no host accepts writes, the connections stay: the primary may be restarting.
    watch ??= setInterval(() => void closeOthers().catch(() => undefined), WATCH_MS).unref();
    client.once('end', () => {
      open.delete(client);
      if (open.size > 0) return;
      clearInterval(watch);
      watch = undefined;
    });
  }

  async function connectToPrimary(client: pg.Client, connect: () => Promise<pg.Client>): Promise<pg.Client> {
    const {
      host: { host, port },
    } = await primary();
    Object.assign(client, { host, port });
    watchOver(client);
    return connect();
  }

  return class extends pg.Client {
    override connect(): Promise<pg.Client>;
    override connect(callback: Connected): void;
    override connect(callback?: Connected): Promise<pg.Client> | undefined {
      const connected = connectToPrimary(this, () => super.connect());
      if (!callback) return connected;
      connected.then(
        () => callback(null, this),
        (error) => callback(error, this),
      );
      return undefined;
    }
  };
}

type Connected = (error: null, client: pg.Client) => void;

function isAt(client: pg.Client, { host, port }: pg.ClientConfig): boolean {
  return client.host === host && client.port === port;
}

/** A host that accepts writes, and the timeline that it writes. */
interface Primary {
  host: pg.ClientConfig;
  timeline: number;
}

/** Asks all hosts whether they accept writes. Rejects if none does. */
function askHosts(hosts: pg.ClientConfig[]): { soon: Promise<Primary[]>; all: Promise<Primary[]> } {
  const answers: Primary[] = [];
  const probes = hosts.map(async (host) => {
    answers.push({ host, timeline: await timelineOf(host) });
  });
  const all = Promise.allSettled(probes).then(() => answers);
  const soon = Promise.any(probes)
    .then(() => Promise.race([all, pause(OTHERS_MS)]))
    .then(() => answers);
  return { soon, all };
}

/** Returns the hosts with the highest timeline. An old primary that was replaced while it was cut off still accepts writes, on a lower one. */
function newestOf(primaries: Primary[]): Primary[] {
  const newest = Math.max(...primaries.map(({ timeline }) => timeline));
  return primaries.filter(({ timeline }) => timeline === newest);
}

/** Returns the timeline that a host writes. Throws when it accepts no writes, or does not answer in time. */
async function timelineOf(host: pg.ClientConfig): Promise<number> {
  const client = new pg.Client({
    ...host,
    application_name: 'nexus looking for the primary',
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
    query_timeout: PROBE_TIMEOUT_MS,
  });
  // An error after the answer concerns nobody.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ timeline: number | null }>(`
      select
        case when current_setting('transaction_read_only') = 'off'
          then ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int
        end as timeline`);
    const timeline = rows[0]?.timeline;
    if (typeof timeline === 'number') return timeline;
    throw new Error(`The PostgreSQL at ${host.host}:${host.port} accepts no writes.`);
  } finally {
    // Not awaited: a host that does not answer does not confirm the end either.
    client.end().catch(() => undefined);
  }
}
