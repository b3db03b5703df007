import { vi } from 'vitest';
import type { Database } from '../../src/platform/database/database.ts';
import { call, DEV_KEYS } from './call.ts';
import { openTestDatabase, socketUrl } from './database.ts';
import { makePage } from './fixtures/pages.ts';
import { startSite } from './internet.ts';
import { type NexusProcess, startNexus } from './nexus-process.ts';
import { type RestartableServer, startServer } from './server.ts';

/** Nexus on a PostgreSQL that can be stopped: one server process, some workers, and a site of good pages. */
export interface Fleet {
  postgres: RestartableServer;
  sql: Database;
  workers: NexusProcess[];
  env: Record<string, string>;
  startWorker(): Promise<NexusProcess>;
  /** Saves a page, again until it is accepted. */
  save(number: number): Promise<void>;
  /** Creates a webhook for all events. */
  createWebhook(url: string): Promise<void>;
  /** How many media there are in each state. */
  states(): Promise<Record<string, number>>;
  stop(): Promise<void>;
}

const key = DEV_KEYS.admin;

/** Repeats what fails while PostgreSQL is away. */
export const patiently = <T>(work: () => Promise<T>, timeout = 60_000) =>
  vi.waitFor(work, { timeout, interval: 200 });

export async function startFleet({
  workers: count,
  leaseSeconds,
}: {
  workers: number;
  leaseSeconds: number;
}): Promise<Fleet> {
  const site = await startSite((request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(makePage({ title: `Page ${request.url}`, paragraphs: 4 }));
  });
  const postgres = await startServer({ max_connections: '300' });
  const sql = openTestDatabase(postgres.target);
  const env = {
    NEXUS_DATABASE_URL: socketUrl(postgres.target),
    NEXUS_EGRESS_ALLOW: '127.0.0.1/32',
    NEXUS_WORKER_LEASE_SECONDS: String(leaseSeconds),
    NEXUS_WORKER_POLL_SECONDS: '0.5',
    NEXUS_WORKER_CONCURRENCY: '8',
  };

  async function startWorker(): Promise<NexusProcess> {
    const worker = startNexus(['worker'], { env });
    await worker.prints(/is ready/);
    return worker;
  }

  const server = startNexus(['serve', '--no-worker'], { env });
  const url = await server.ready();
  const workers = await Promise.all(Array.from({ length: count }, startWorker));

  async function post(path: string, body: object, expected: number[]): Promise<void> {
    await patiently(async () => {
      const { status } = await call(url, 'POST', path, { key, body });
      if (!expected.includes(status)) throw new Error(`POST ${path} answered ${status}.`);
    });
  }

  return {
    postgres,
    sql,
    workers,
    env,
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
      await Promise.all([server, ...workers].map((process) => process.stop('SIGKILL')));
      await sql.end();
      await postgres.stop();
    },
  };
}
