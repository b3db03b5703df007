import { vi } from 'vitest';
import type { ConnectionTarget, Database } from '../../src/platform/database/database.ts';
import { call, DEV_KEYS } from './call.ts';
import { openTestDatabase } from './database.ts';
import { makePage } from './fixtures/pages.ts';
import { type Site, startSite } from './internet.ts';
import { type NexusProcess, startNexus } from './nexus-process.ts';
import { type RestartableServer, startServer as startPostgres } from './server.ts';

/** Nexus on a PostgreSQL that can fail: some server processes, some workers, and a site of good pages. */
export interface Fleet<Server extends FleetServer = RestartableServer> {
  postgres: Server;
  sql: Database;
  site: Site;
  servers: HttpProcess[];
  workers: NexusProcess[];
  env: Record<string, string>;
  startServer(): Promise<HttpProcess>;
  startWorker(): Promise<NexusProcess>;
  /** Saves a page, again until it is accepted. */
  save(number: number): Promise<void>;
  /** Creates a webhook for all events, and returns it with its secret. */
  createWebhook(url: string): Promise<{ id: string; secret: string }>;
  /** How many media there are in each state. */
  states(): Promise<Record<string, number>>;
  stop(): Promise<void>;
}

export interface HttpProcess extends NexusProcess {
  url: string;
}

interface FleetServer {
  target: ConnectionTarget;
  url: string;
  stop(): Promise<void>;
}

interface FleetOptions {
  servers?: number;
  workers: number;
  leaseSeconds: number;
  env?: Record<string, string>;
}

const key = DEV_KEYS.admin;

/** Repeats what fails while PostgreSQL is away. */
export const patiently = <T>(work: () => Promise<T>, timeout = 60_000) =>
  vi.waitFor(work, { timeout, interval: 200 });

export async function startFleet(options: FleetOptions): Promise<Fleet> {
  return startFleetOn(await startPostgres({ max_connections: '300' }), options);
}

export async function startFleetOn<Server extends FleetServer>(
  postgres: Server,
  { servers: serverCount = 1, workers: count, leaseSeconds, env: others }: FleetOptions,
): Promise<Fleet<Server>> {
  const site = await startSite((request, response) => {
    const [, target] = /^\/moved\/\w+(\/.*)$/.exec(request.url ?? '') ?? [];
    if (target) {
      response.writeHead(301, { location: target }).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(makePage({ title: `Page ${request.url}`, paragraphs: 4 }));
  });
  const sql = openTestDatabase(postgres.target);
  const env = {
    NEXUS_DATABASE_URL: postgres.url,
    NEXUS_EGRESS_ALLOW: '127.0.0.1/32',
    NEXUS_WORKER_LEASE_SECONDS: String(leaseSeconds),
    NEXUS_WORKER_POLL_SECONDS: '0.5',
    NEXUS_WORKER_CONCURRENCY: '8',
    ...others,
  };

  async function startServer(): Promise<HttpProcess> {
    const server = startNexus(['serve', '--no-worker'], { env });
    return Object.assign(server, { url: await server.ready() });
  }

  async function startWorker(): Promise<NexusProcess> {
    const worker = startNexus(['worker'], { env });
    await worker.prints(/is ready/);
    return worker;
  }

  const servers = await Promise.all(Array.from({ length: serverCount }, startServer));
  const workers = await Promise.all(Array.from({ length: count }, startWorker));

  const post = (path: string, body: object, expected: number[]) =>
    patiently(async () => {
      const answer = await call(servers[0]?.url ?? '', 'POST', path, { key, body });
      if (!expected.includes(answer.status)) throw new Error(`POST ${path} answered ${answer.status}.`);
      return answer.body.data;
    });

  return {
    postgres,
    sql,
    site,
    servers,
    workers,
    env,
    startServer,
    startWorker,
    save: (number) => post('/media/from_url', { url: `${site.url}/${number}` }, [200, 201, 202]),
    createWebhook: (endpoint) => post('/api/v1/webhooks', { url: endpoint }, [201]),
    states: () =>
      patiently(async () => {
        const rows = await sql<{ processing_status: string; n: number }[]>`
          select processing_status, count(*) as n from media group by processing_status`;
        return Object.fromEntries(rows.map(({ processing_status, n }) => [processing_status, n]));
      }),
    async stop() {
      await Promise.all([...servers, ...workers].map((process) => process.stop('SIGKILL')));
      await sql.end();
      await postgres.stop();
    },
  };
}
