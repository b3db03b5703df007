import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { makePage } from '../support/fixtures/pages.ts';
import { useChromium } from './chromium.ts';
import { useNexus } from './nexus.ts';
import { openLibrary, signIn } from './person.ts';

const nexus = useNexus((request, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(makePage({ title: `Page ${request.url?.slice(1)}` }));
});
const chromium = useChromium();

/** Longer than the intervals at which the app used to poll. */
const IDLE_MS = 12_000;
/** Longer than the app waits after an event before it counts saved searches again. */
const QUIET_MS = 7000;

type Person = Awaited<ReturnType<typeof nexus.person>>;

async function post(person: Person, path: string, body?: object) {
  const answer = await nexus.call('POST', path, { key: person.key, ...(body && { body }) });
  return answer.body.data;
}

const save = (person: Person, path: string): Promise<{ media_id: string }> =>
  post(person, '/api/v1/media', { url: nexus.site.url + path });

async function share(owner: Person, member: Person, name: string): Promise<string> {
  const { id } = await post(owner, '/api/v1/libraries', { name });
  const invitation = await post(owner, `/api/v1/libraries/${id}/invites`, {
    invitee_username: member.username,
  });
  await post(member, `/api/v1/libraries/invites/${invitation.id}/accept`);
  return id;
}

/** Records requests of the page, without its event stream. */
function watchRequests(page: Page) {
  const watched = { requests: [] as string[], lastAt: Date.now() };
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname === '/api/v1/events/stream') return;
    watched.requests.push(`${request.method()} ${pathname}`);
    watched.lastAt = Date.now();
  });
  return watched;
}

test('idle pages send no requests', async () => {
  const person = await nexus.person('idle');
  const { media_id } = await save(person, '/idle');
  const pages = await Promise.all(
    ['/', `/read/${media_id}`, '/invitations', '/trash', '/search?q=lamp', '/settings'].map(async (path) => {
      const page = await chromium.open();
      await signIn(page, nexus, person.key);
      await page.goto(`${nexus.url}/app${path}`);
      await page.getByRole('heading').first().waitFor();
      return page;
    }),
  );
  // The last event about the saved page still causes requests.
  const events = async () => (await nexus.call('GET', '/api/v1/events', { key: person.key })).body.data;
  await expect
    .poll(events, { timeout: 30_000 })
    .toContainEqual(expect.objectContaining({ type: 'media.projected' }));
  const watched = pages.map(watchRequests);
  const quietFor = () => Date.now() - Math.max(...watched.map(({ lastAt }) => lastAt));
  await expect.poll(quietFor, { timeout: 30_000 }).toBeGreaterThan(QUIET_MS);
  for (const { requests } of watched) requests.splice(0);
  await pages[0]?.waitForTimeout(IDLE_MS);
  expect(watched.map(({ requests }) => requests)).toEqual(pages.map(() => []));
});

test('an item that is saved elsewhere appears, and becomes ready', async () => {
  const person = await nexus.person('watcher');
  const page = await chromium.open();
  await openLibrary(page, nexus, person.key);
  await page.getByText('Nothing to read yet').waitFor();
  await save(person, '/elsewhere');
  await page.getByRole('link', { name: 'Page elsewhere' }).waitFor();
});

test('a removed member loses the library, and the members of a deleted one, without a reload', async () => {
  const [owner, member] = [await nexus.person('owner'), await nexus.person('member')];
  const [removedFrom, deleted] = [await share(owner, member, 'First'), await share(owner, member, 'Second')];
  const page = await chromium.open();
  await openLibrary(page, nexus, member.key);
  const link = (name: string) => page.getByRole('link', { name, exact: true });
  await link('First').waitFor();
  await link('Second').click();
  await page.getByRole('heading', { name: 'Second' }).waitFor();
  chromium.forgive(/404/);
  await nexus.call('PATCH', `/api/v1/libraries/${removedFrom}`, {
    key: owner.key,
    body: { name: 'Renamed' },
  });
  await link('Renamed').waitFor();
  await nexus.call('DELETE', `/api/v1/libraries/${removedFrom}/members/${member.id}`, { key: owner.key });
  await link('Renamed').waitFor({ state: 'detached' });
  await nexus.call('DELETE', `/api/v1/libraries/${deleted}`, { key: owner.key });
  await page.getByText('you are no longer a member').waitFor();
  await link('Second').waitFor({ state: 'detached' });
});

test('after a lost connection the page shows what happened meanwhile', async () => {
  const person = await nexus.person('traveller');
  const proxy = await startProxy(Number(new URL(nexus.url).port));
  const page = await chromium.open();
  // The stream, and other requests in flight, fail when the connection is lost.
  chromium.forgive(/net::ERR_/);
  await openLibrary(page, proxy, person.key);
  await page.getByText('Nothing to read yet').waitFor();
  proxy.disconnect();
  await page.getByText('Reconnecting').waitFor();
  await save(person, '/meanwhile');
  proxy.reconnect();
  await page.getByRole('link', { name: 'Page meanwhile' }).waitFor();
  await page.close();
  await proxy.close();
});

/** A TCP proxy that can drop all its connections and refuse new ones. */
async function startProxy(port: number) {
  const sockets = new Set<Socket>();
  let isConnected = true;
  const server = createServer((client) => {
    if (!isConnected) return void client.destroy();
    const upstream = connect(port, '127.0.0.1');
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.pipe(other);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    disconnect() {
      isConnected = false;
      for (const socket of sockets) socket.destroy();
    },
    reconnect() {
      isConnected = true;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
