/**
 * Fetches and extracts many pages.
 *
 * @module-tag slow
 */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createPerson, useApp } from '../../../../test/support/app.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import { openStream, type StreamReader } from '../../../../test/support/event-stream.ts';
import { makePage } from '../../../../test/support/fixtures/pages.ts';
import { startSite } from '../../../../test/support/internet.ts';
import { createLibrary, join, type Reader, readerOf } from '../../../../test/support/libraries.ts';
import type { Worker } from '../../../platform/jobs/worker.ts';

/** A token that gives access to pages, and a word that only these pages contain. */
const TOKEN = 'tok3nOfAna';
const TREASURE = 'quicksilver';

/** Pages behind the token name their public address as canonical, which has another text. */
const opened = (path: string) =>
  makePage({
    title: `Opened ${path}`,
    head: `<link rel="canonical" href="${path}">`,
    article: `<p>The ${TREASURE} lies under the oak. <a href="${path}/2?token=${TOKEN}">Next page</a></p>`,
  });
/** The same text for everybody, with links that repeat the query of the request. */
const open = (path: string, query: string) =>
  makePage({
    title: 'For everybody',
    head: `<link rel="canonical" href="${path}">`,
    article: `<p>Read <a href="${path}/2${query}">the next page</a>.</p>`,
  });
const site = await startSite((request, response) => {
  const { pathname, search } = new URL(request.url ?? '', 'http://site');
  const hasToken = search.includes(TOKEN);
  const html = (body: string, status = 200) =>
    response.writeHead(status, { 'content-type': 'text/html' }).end(body);
  if (pathname === '/click') return response.writeHead(302, { location: `/letter${search}` }).end();
  if (pathname === '/moved')
    return response.writeHead(302, { location: `/article?utm_source=${TOKEN}` }).end();
  if (pathname === '/doc') return hasToken ? html(opened('/doc')) : html('', 403);
  if (pathname === '/letter') {
    return hasToken ? html(opened('/letter')) : html(makePage({ title: 'Subscribe to read on' }));
  }
  return html(open(pathname, search));
});

const database = useDatabase();
const { sql } = database;
const app = useApp(database, { NEXUS_EGRESS_ALLOW: site.host }, { listen: true });
let ana: Reader;
let worker: Worker;

beforeAll(async () => {
  ana = await createViewer();
  worker = await app.engine.work({ concurrency: 4, pollSeconds: 0.2, graceSeconds: 5 });
});
afterAll(() => worker.stop());

/** Creates a viewer, because operators see more of other people's work. */
const createViewer = async () => readerOf(app, await createPerson(app, { role: 'viewer' }));

async function save(by: Reader, path: string): Promise<string> {
  const { status, body } = await by.post('/media/from_url', { url: `${site.url}${path}` });
  expect(status, JSON.stringify(body)).toBeLessThan(300);
  return body.data.media_id;
}

/** Waits until the only media of somebody has been processed. It may have been united with another. */
async function settled(by: Reader) {
  return vi.waitFor(async () => {
    const { body } = await by.get('/media');
    expect(body.data).toHaveLength(1);
    expect(['ready', 'failed']).toContain(body.data[0].processing_status);
    return body.data[0];
  }, 60_000);
}

/** Returns the answers to all GET requests that somebody can make with guessed ids. */
async function everyAnswer(by: Reader, ids: string[], queries: string[]): Promise<[string, unknown][]> {
  const answers: [string, unknown][] = [];
  const ask = async (path: string) => {
    const { status, body, headers } = await by.get(path);
    answers.push([`${status} ${path}`, [body, [...headers]]]);
  };
  const routes = app.routes.filter(
    ({ method, url, access }) =>
      method === 'GET' && access !== 'internal' && !/\*|stream|^\/docs|openapi/.test(url),
  );
  for (const { url } of routes) {
    const targets = /:\w+/.test(url)
      ? ids.map((id) => url.replace(':idx', '0').replaceAll(/:\w+/g, id))
      : [url];
    for (const target of targets) await ask(target);
  }
  for (const word of queries) await ask(`/api/v1/search?q=${word}`);
  for (const id of ids) {
    await ask(`/api/v1/analysis/runs?media_id=${id}`);
    await ask(`/api/v1/branches?media_id=${id}`);
    await ask(`/media?library_id=${id}`);
    await ask(`/media?sort=title&library_id=${id}`);
    await ask(`/libraries/${id}/export?format=html`);
    await ask(`/media/${id}/export?format=md`);
  }
  return answers;
}

/** Waits until the stream has sent an event of now, so that no older event is missing. */
async function caughtUp(by: Reader, stream: StreamReader): Promise<void> {
  const libraryId = await createLibrary(by, 'Marker');
  await vi.waitFor(
    () => expect(stream.events.some(({ event }) => event.data.library_id === libraryId)).toBe(true),
    60_000,
  );
  await vi.waitFor(async () => {
    const { body } = await by.get('/api/v1/events?limit=200');
    expect(JSON.stringify(body)).toContain(libraryId);
  }, 60_000);
}

const pages = [
  ['a page that names its public address', `/doc?token=${TOKEN}`, '/doc', 'failed'],
  ['a newsletter link that redirects', `/click?u=${TOKEN}`, '/letter', 'ready'],
] as const;

describe.each(pages)('%s, opened by a token', (_case, secret, plain, expected) => {
  test.each(['first', 'second'])(
    'discloses nothing to somebody who saves the public address %s',
    async (order) => {
      const [owner, other] = [await createViewer(), await createViewer()];
      const stream = await openStream(app.url, other.key);
      if (order === 'first') {
        await save(other, plain);
        await settled(other);
      }
      await save(owner, secret);
      const theirs = await settled(owner);
      if (order === 'second') await save(other, plain);
      const own = await settled(other);

      expect(theirs).toMatchObject({ processing_status: 'ready', requested_url: `${site.url}${secret}` });
      expect((await owner.get(`/media/${theirs.id}/fragments`)).body.data[0].canonical_text).toContain(
        TREASURE,
      );
      expect(own).toMatchObject({
        processing_status: expected,
        canonical_url: `${site.url}${plain}`,
        requested_url: `${site.url}${plain}`,
      });
      expect(own.id).not.toBe(theirs.id);
      await owner.post('/api/v1/analyze', { media_id: theirs.id });
      await caughtUp(other, stream);
      stream.close();
      const jobs = await sql<{ id: string }[]>`select id from jobs order by id desc limit 5`;
      const ids = [own.id, theirs.id, owner.id, owner.defaultLibraryId, ...jobs.map(({ id }) => id)];
      const answers = await everyAnswer(other, ids, [TREASURE, 'opened', TOKEN, 'letter', 'doc']);
      answers.push(['stream', stream.events]);
      for (const [path, answer] of answers) {
        const text = JSON.stringify(answer);
        expect.soft(text, path).not.toContain(TOKEN);
        expect.soft(text.toLowerCase(), path).not.toContain(TREASURE);
        // An answer may repeat the requested id.
        if (path.includes(owner.id)) continue;
        expect.soft(text, path).not.toContain(owner.id);
        expect.soft(text, path).not.toContain(`"${owner.user.username}"`);
        if (!path.includes(theirs.id)) expect.soft(text, path).not.toContain(theirs.id);
      }
    },
  );
});

describe('two addresses with the same text', () => {
  test.each([
    ['a canonical link', `/shared-a?token=${TOKEN}`, '/shared-a'],
    ['a redirect', `/moved?token=${TOKEN}`, '/article'],
  ])('are united by %s, with the text of the canonical address alone', async (_way, secret, plain) => {
    const [owner, other] = [await createViewer(), await createViewer()];
    const stream = await openStream(app.url, other.key);
    await save(owner, secret);
    const first = await settled(owner);
    const from = site.requests.length;
    await save(other, plain);
    const second = await settled(other);
    expect(second.id).toBe(first.id);
    expect(second).toMatchObject({
      canonical_url: `${site.url}${plain}`,
      requested_url: `${site.url}${plain}`,
    });
    expect((await owner.get('/media')).body.data[0].requested_url).toBe(`${site.url}${secret}`);
    expect(site.requests.length, 'a known page is not fetched again').toBe(from);
    await caughtUp(other, stream);
    stream.close();
    const answers = await everyAnswer(other, [second.id, owner.defaultLibraryId], ['everybody']);
    answers.push(['stream', stream.events]);
    for (const [path, answer] of answers) {
      const text = JSON.stringify(answer);
      expect.soft(text, path).not.toContain(TOKEN);
      expect.soft(text, path).not.toContain(owner.id);
    }
    const alone = site.requests.filter(({ url }) => url === plain);
    expect(alone.length).toBeGreaterThan(0);
    for (const { headers } of alone) expect(headers).not.toHaveProperty('referer');
  });
});

test('extraction fetches the canonical address, never the spelling of one saver', async () => {
  const reader = await createViewer();
  const from = site.requests.length;
  await save(reader, `/spelled?id=7&utm_source=${TOKEN}&fbclid=${TOKEN}#${TOKEN}`);
  expect(await settled(reader)).toMatchObject({
    canonical_url: `${site.url}/spelled`,
    requested_url: `${site.url}/spelled?id=7&utm_source=${TOKEN}&fbclid=${TOKEN}#${TOKEN}`,
  });
  expect(site.requests.slice(from).map(({ url }) => url)).toEqual(['/spelled?id=7', '/spelled']);
});

test('the typed address is shown to its saver only, also within a library, and is deleted on removal', async () => {
  const member = await createViewer();
  const typed = `${site.url}/within?utm_source=${TOKEN}`;
  const id = await save(ana, `/within?utm_source=${TOKEN}`);
  const libraryId = await createLibrary(ana);
  await ana.post(`/libraries/${libraryId}/media`, { media_id: id });
  await join(ana, libraryId, member);
  const seen = async (by: Reader) => {
    const answers = await Promise.all([
      by.get(`/media/${id}`),
      by.get(`/media?library_id=${libraryId}`),
      by.get(`/libraries/${libraryId}/media`),
      by.get(`/libraries/${libraryId}/export`),
      by.get('/api/v1/search?q=within'),
    ]);
    const [one, listed, library, exported, found] = answers.map(({ body }) => body);
    return [one.data, listed.data[0], library.data[0], exported.documents[0], found.data[0].media].map(
      ({ requested_url }) => requested_url,
    );
  };
  await vi.waitFor(async () => {
    expect((await ana.get(`/media/${id}`)).body.data.processing_status).toBe('ready');
  }, 60_000);
  const searched = (await ana.get(`/media/${id}`)).body.data.title;
  expect(searched).toBe('For everybody');
  const word = (by: Reader) => by.get('/api/v1/search?q=everybody');
  expect((await word(ana)).body.data.map(({ media }: { media: { id: string } }) => media.id)).toContain(id);
  await sql`update media set title = 'within' where id = ${id}`;
  expect(await seen(ana)).toEqual(Array(5).fill(typed));
  expect(await seen(member)).toEqual(Array(5).fill(null));
  await ana.delete(`/media/${id}`);
  expect(await seen(ana)).toEqual(Array(5).fill(null));
  expect(JSON.stringify(await sql`select * from default_library_intrinsics`)).not.toContain(typed);
});
