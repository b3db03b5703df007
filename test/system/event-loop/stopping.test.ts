import { readdir, readFile } from 'node:fs/promises';
import { expect, test, vi } from 'vitest';
import { call, DEV_KEYS } from '../../support/call.ts';
import { useDatabase } from '../../support/database.ts';
import { startSite } from '../../support/internet.ts';
import { startNexus } from '../../support/nexus-process.ts';
import { isAlive } from '../../support/processes.ts';

const database = useDatabase();
const key = DEV_KEYS.admin;

/** A page that takes long to extract: deeply nested formatting, parsed in code that cannot be interrupted. */
const SLOW_PAGE = `<html><body>${'<b>'.repeat(300_000)}text</body></html>`;

/** The child processes of a process. */
async function childrenOf(pid: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const parents = await Promise.all(
    pids.map(async (child) => {
      const status = await readFile(`/proc/${child}/stat`, 'utf8').catch(() => '');
      // The name in parentheses may hold anything.
      return { child: Number(child), parent: Number(status.slice(status.lastIndexOf(')')).split(' ')[2]) };
    }),
  );
  return parents.filter(({ parent }) => parent === pid).map(({ child }) => child);
}

/** A server, and the process in which it is extracting a page. */
async function startExtracting() {
  const site = await startSite((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end(SLOW_PAGE),
  );
  const nexus = startNexus(['serve'], {
    env: {
      NEXUS_DATABASE_URL: database.url,
      NEXUS_EGRESS_ALLOW: site.host,
      NEXUS_WORKER_GRACE_SECONDS: '1',
      NEXUS_SHUTDOWN_GRACE_SECONDS: '1',
    },
  });
  const url = await nexus.ready();
  const body = { url: site.url };
  const { status } = await call(url, 'POST', '/media/from_url', { key, body });
  expect(status).toBe(201);
  const [child = 0] = await vi.waitFor(async () => {
    const children = await childrenOf(nexus.pid);
    return children.length > 0 ? children : expect.fail('nothing is extracted yet');
  }, 30_000);
  return { nexus, child };
}

test('a server that is killed leaves no process behind', async () => {
  const { nexus, child } = await startExtracting();
  await nexus.stop('SIGKILL');
  await vi.waitFor(() => expect(isAlive(child)).toBe(false), { timeout: 10_000, interval: 50 });
});

test('a server that is told to stop ends within its grace period, although a process of a pool is stuck', async () => {
  const { nexus, child } = await startExtracting();
  const begun = performance.now();
  expect(await nexus.stop('SIGTERM')).toBe(0);
  expect(performance.now() - begun).toBeLessThan(20_000);
  expect(isAlive(child)).toBe(false);
});
