import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { DEV_KEYS } from '../support/call.ts';
import { makeEpub } from '../support/fixtures/epub.ts';
import { makePng } from '../support/fixtures/images.ts';
import { makePage } from '../support/fixtures/pages.ts';
import { useChromium } from './chromium.ts';
import { inBothLooks } from './looks.ts';
import { useNexus } from './nexus.ts';
import { expectAccessible, expectToFit, openLibrary } from './person.ts';
import { seedArticles } from './seed.ts';

const PHOTO = makePng({ width: 1200, height: 900, isNoise: true });
const nexus = useNexus((request, response) => {
  if (request.url?.startsWith('/gone')) return void response.writeHead(404).end();
  if (request.url === '/photo.png')
    return void response.writeHead(200, { 'content-type': 'image/png' }).end(PHOTO);
  const head = request.url === '/pictured' ? '<meta property="og:image" content="/photo.png">' : '';
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(makePage({ title: `Page ${request.url?.slice(1)}`, head }));
});
const chromium = useChromium();

const api = (key: string) => ({
  get: (path: string) => nexus.call('GET', `/api/v1${path}`, { key }),
  post: (path: string, body: unknown) => nexus.call('POST', `/api/v1${path}`, { key, body }),
  put: (path: string, body: unknown) => nexus.call('PUT', `/api/v1${path}`, { key, body }),
});

/** Saves a page and waits until it can be read, or has failed. */
async function save(key: string, path: string): Promise<string> {
  const { body } = await api(key).post('/media', { url: `${nexus.site.url}/${path}` });
  const id = body.data.media_id;
  await vi.waitFor(async () => {
    const { data } = (await api(key).get(`/media/${id}`)).body;
    expect(['ready', 'failed']).toContain(data.processing_status);
  }, 20_000);
  return id;
}

describe('tabs, filters and what to continue', () => {
  let key = '';
  let one = '';
  const readOne = () => api(key).put(`/media/${one}/reading`, { progress: 0.4, finished: false });
  beforeAll(async () => {
    key = (await nexus.person('ada')).key;
    const [id, two] = await Promise.all(['one', 'two', 'three', 'gone'].map((path) => save(key, path)));
    one = id ?? '';
    await api(key).put(`/media/${two}/reading`, { progress: 1, finished: true });
  });
  beforeEach(readOne);

  test('the tabs and the Filter button change the list and the address, and a reload keeps both', async () => {
    const page = await chromium.open();
    await openLibrary(page, nexus, key);
    const list = page.locator('.virtual-list');
    const tab = (name: string) => page.getByRole('button', { name, exact: true });
    const titles = () => list.locator('.media-title-text').allInnerTexts();
    await expect.poll(async () => (await titles()).length).toBe(4);
    expect(await tab('All').getAttribute('aria-pressed')).toBe('true');

    await tab('Reading').click();
    await expect.poll(titles).toEqual(['Page one']);
    await tab('Finished').click();
    await expect.poll(titles).toEqual(['Page two']);
    expect(new URL(page.url()).search).toBe('?reading=finished');
    await page.reload();
    await expect.poll(titles).toEqual(['Page two']);
    await tab('All').click();
    await expect.poll(async () => (await titles()).length).toBe(4);

    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    const panel = page.getByRole('dialog', { name: 'Filter and sort' });
    await panel.getByLabel('Status').selectOption('Ready');
    await panel.getByLabel('Sort by').selectOption('Title, A to Z');
    await expect.poll(titles).toEqual(['Page one', 'Page three', 'Page two']);
    await panel.getByLabel('Type').selectOption('Article');
    await page.getByRole('button', { name: 'Filter 2 active' }).waitFor();
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      status: 'ready',
      kind: 'web_article',
      sort: 'title',
    });
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Remove filter: Ready' }).click();
    await page.getByRole('button', { name: 'Filter 1 active' }).click();
    await panel.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('button', { name: 'Filter', exact: true }).waitFor();
  });

  test('what was read last and is not finished is on top of the library, and leaves it when it is finished', async () => {
    const page = await chromium.open();
    await openLibrary(page, nexus, key);
    const section = page.getByRole('region', { name: 'Continue reading' });
    await section.getByRole('link', { name: 'Page one' }).waitFor();
    expect(await section.getByRole('link').count()).toBe(1);
    // It is above the unfiltered list only.
    await page.getByRole('button', { name: 'Unread', exact: true }).click();
    await section.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'All', exact: true }).click();

    await page.locator('.virtual-list').getByRole('link', { name: 'Page one' }).focus();
    await page.keyboard.press('e');
    await page.getByText('Marked as finished').waitFor();
    await section.waitFor({ state: 'detached' });
    await page.keyboard.press('z');
    await section.getByRole('link', { name: 'Page one' }).click();
    await page.locator('.prose-part').waitFor();
  });

  test('an answer that is older than a change does not undo it', async () => {
    const page = await chromium.open();
    await openLibrary(page, nexus, key);
    const section = page.getByRole('region', { name: 'Continue reading' });
    const row = page.getByRole('article').filter({ hasText: 'Page one' });
    await section.waitFor();
    await row.waitFor();

    // The lists are fetched again; their answers are made before the change, and arrive after it.
    const lists = /\/api\/v1\/media\?/;
    const [made, arrived] = [vi.fn(), vi.fn()];
    let release: () => void = expect.fail;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(
      lists,
      async (route) => {
        const response = await route.fetch();
        made();
        await released;
        await route.fulfill({ response });
        arrived();
      },
      { times: 2 },
    );
    await nexus.call('PATCH', `/api/v1/media/${one}/mine`, { key, body: { is_favourite: true } });
    await expect.poll(() => made.mock.calls.length).toBe(2);
    await row.getByRole('link').focus();
    await page.keyboard.press('e');
    await page.getByText('Marked as finished').waitFor();
    release();
    await expect.poll(() => arrived.mock.calls.length).toBe(2);
    await row.getByRole('img', { name: 'Favourite' }).waitFor();
    await section.waitFor({ state: 'detached' });
    expect(await row.getAttribute('data-read')).toBe('true');
  });

  test('the filters and what to continue are accessible and fit, on a light desktop and a dark phone', () =>
    inBothLooks(chromium, async (page, look) => {
      await openLibrary(page, nexus, key);
      await page.getByRole('region', { name: 'Continue reading' }).waitFor();
      await expectAccessible(page, look);
      await expectToFit(page, look);
      await page.getByRole('button', { name: 'Filter', exact: true }).click();
      await page.getByRole('dialog', { name: 'Filter and sort' }).waitFor();
      await expectAccessible(page, look);
      await expectToFit(page, look);
      const hints = page.locator('.kbd-group:visible');
      if (look.startsWith('phone')) expect(await hints.count()).toBe(0);
      else expect(await hints.count()).toBeGreaterThan(0);
    }));

  test('the unread dot is left of a title in any script', async () => {
    await nexus.database.sql`update media set title = 'مقال عن البحر' where title = 'Page three'`;
    const page = await chromium.open();
    await openLibrary(page, nexus, key);
    const link = page.getByRole('link', { name: 'مقال' });
    const [dot, text] = [await link.locator('.unread-dot').boundingBox(), link.locator('.media-title-text')];
    const box = await text.boundingBox();
    if (!dot || !box) throw new Error('The title is not shown.');
    expect(dot.x + dot.width).toBeLessThan(box.x);
  });
});

test('dates are shown in the zone and the language of the browser', async () => {
  const { key } = await nexus.person('hana');
  const id = await save(key, 'dated');
  await nexus.database.sql`update media set published = '2024-03-01' where id = ${id}`;
  const page = await chromium.open({ timezoneId: 'Pacific/Honolulu', locale: 'de-DE' });
  await openLibrary(page, nexus, key);
  await page.getByText('1. März 2024').waitFor();
});

test('a cover is a small file; without one it is the image itself, and without that a placeholder', async () => {
  const { key } = await nexus.person('grace');
  const id = await save(key, 'pictured');
  const media = async () => (await api(key).get(`/media/${id}`)).body.data;
  const { small, large } = await vi.waitFor(
    async () => (await media()).thumbnail_urls ?? expect.fail('there is no thumbnail'),
    20_000,
  );
  const page = await chromium.open();
  await openLibrary(page, nexus, key);
  const cover = page.getByRole('article').locator('.cover');
  const shown = async () => {
    const isLoaded = await cover.evaluate(
      (image) => (image as unknown as { naturalWidth: number }).naturalWidth > 0,
    );
    return isLoaded && (await cover.getAttribute('src'))?.replace(/\?.*/, '');
  };
  await expect.poll(shown).toBe(small);
  const bytes = await page.evaluate(
    (address) => performance.getEntriesByName(address)[0]?.toJSON().encodedBodySize,
    nexus.url + small,
  );
  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThan(PHOTO.length / 100);
  await page.getByRole('button', { name: 'Grid' }).click();
  await expect.poll(shown).toBe(large);

  chromium.forgive(/status of 404/);
  await nexus.database.sql`update media set thumbnail = 'feedfeedfeedfeed' where id = ${id}`;
  await page.reload();
  await expect.poll(shown).toBe('/api/v1/media/images');
  await nexus.database.sql`update media set cover = 'missing.png' where id = ${id}`;
  await page.reload();
  await page.getByRole('article').locator('span.cover').waitFor();
  expect(await page.getByRole('article').locator('img').count()).toBe(0);
});

describe('the title of an item', () => {
  test('is edited by who uploaded it, and changes in the open list of another member, who has only a title of their own', async () => {
    const [owner, friend] = [await nexus.person('bea'), await nexus.person('cai')];
    const id = await nexus.uploadBook(owner.key, makeEpub({ title: 'Page tipo' }));
    const library = (await api(owner.key).post('/libraries', { name: 'Shared' })).body.data.id;
    await api(owner.key).post(`/libraries/${library}/media`, { media_id: id });
    const invited = await api(owner.key).post(`/libraries/${library}/invites`, {
      invitee_username: friend.username,
      role: 'member',
    });
    await api(friend.key).post(`/libraries/invites/${invited.body.data.id}/accept`, undefined);

    const [mine, theirs] = [await chromium.open(), await chromium.open()];
    await openLibrary(theirs, nexus, friend.key);
    await theirs.getByRole('link', { name: 'Page tipo' }).waitFor();
    await openLibrary(mine, nexus, owner.key);
    const open = (page: typeof mine) => page.getByRole('button', { name: 'Actions for Page tipo' }).click();

    await open(theirs);
    await theirs.getByRole('menuitem', { name: 'Edit title' }).click();
    await theirs.getByRole('dialog', { name: 'Edit title' }).getByText('Only you see it.').waitFor();
    await theirs.keyboard.press('Escape');

    await open(mine);
    await mine.getByRole('menuitem', { name: 'Edit title' }).click();
    const dialog = mine.getByRole('dialog', { name: 'Edit title' });
    await expectAccessible(mine);
    await dialog.getByLabel('Title').fill('Page typo');
    // Somebody else edits it in the meantime: another tab of the same person.
    await nexus.call('PATCH', `/api/v1/media/${id}`, { key: owner.key, body: { title: 'Page taipo' } });
    chromium.forgive(/status of 412/);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await mine.getByRole('link', { name: 'Page typo' }).waitFor();
    await theirs.getByRole('link', { name: 'Page typo' }).waitFor();
  });
});

describe('many items at once', () => {
  test('several selected items are one request; all of a long list are selected, and asked about', async () => {
    const { id, key } = await nexus.person('dan');
    const { body } = await api(key).get('/me');
    await seedArticles(nexus.database.sql, { id, default_library_id: body.data.default_library_id }, 450);
    const page = await chromium.open();
    await openLibrary(page, nexus, key);
    await page.getByText('450 items').waitFor();
    const changes: unknown[] = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET' && request.url().includes('/api/v1/media'))
        changes.push(request.postDataJSON());
    });

    const boxes = page.getByRole('checkbox', { name: /^Select Article/ });
    await boxes.nth(0).check({ force: true });
    await boxes.nth(1).check({ force: true });
    await boxes.nth(2).check({ force: true });
    const bar = page.getByRole('toolbar', { name: 'Selected items' });
    await bar.getByText('3 selected').waitFor();
    await bar.getByRole('button', { name: 'Mark as finished' }).click();
    await page.getByText('Marked 3 items as finished').waitFor();
    expect(changes).toMatchObject([{ action: 'finish', media_ids: { length: 3 } }]);

    await boxes.nth(0).check({ force: true });
    await bar.getByRole('button', { name: 'Mark as not finished' }).waitFor();
    await bar.getByRole('button', { name: 'Select all 450' }).click();
    await bar.getByText('All 450 selected').waitFor();
    await expectAccessible(page);
    await bar.getByRole('button', { name: 'Mark as finished' }).click();
    const question = page.getByRole('dialog', { name: 'Mark 450 items as finished?' });
    await question.getByRole('button', { name: 'Mark as finished' }).click();
    await page.getByText('Marked 447 items as finished').waitFor();
    // It stays while the pointer is on it.
    await page.locator('.toast', { hasText: 'Marked 447' }).hover();
    const finished = await api(key).get('/media?reading=finished&limit=1');
    expect(finished.body.page.total).toBe(450);
    expect(changes).toHaveLength(1 + 3);
    // The first three were finished before, and stay so.
    const toast = (text: string) => page.locator('.toast', { hasText: text });
    await toast('Marked 447').getByRole('button', { name: 'Undo' }).click();
    const totalFinished = async () => (await api(key).get('/media?reading=finished&limit=1')).body.page.total;
    await expect.poll(totalFinished).toBe(3);

    await page.getByRole('button', { name: 'Unread', exact: true }).click();
    await page.getByText('447 items').waitFor();
    expect(await bar.count()).toBe(0);
    await boxes.nth(0).check({ force: true });
    await bar.getByRole('button', { name: 'Select all 447' }).click();
    await page.keyboard.press('#');
    const removal = page.getByRole('dialog', { name: 'Remove 447 items from My library?' });
    await removal.getByRole('button', { name: 'Remove' }).click();
    await toast('Removed 447').hover();
    await page.getByText('No items match these filters').waitFor();
    await toast('Removed 447').getByRole('button', { name: 'Undo' }).click();
    await page.getByText('447 items').waitFor();
    expect((await api(key).get('/trash')).body.data).toEqual([]);
  }, 60_000);

  test('"Add to" offers every library that one may add to', async () => {
    const { key } = await nexus.person('eli');
    await save(key, 'many');
    for (let count = 1; count <= 12; count += 1)
      await api(key).post('/libraries', { name: `Shelf ${count}` });
    const page = await chromium.open();
    await openLibrary(page, nexus, key);
    await page.getByRole('button', { name: 'Actions for Page many' }).click();
    await page.getByRole('menuitem', { name: 'Add to library…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add to library' });
    await expect.poll(() => dialog.getByRole('button', { name: /^Shelf/ }).count()).toBe(12);
    await expectAccessible(page);
    await dialog.getByLabel('Find a library').fill('12');
    await dialog.getByRole('button', { name: /^Shelf/ }).click();
    await page.getByText('Added to Shelf 12').waitFor();
  });
});

test('the command palette finds items by their title, opens them, and shows nobody what they may not read', async () => {
  const [owner, stranger] = [await nexus.person('fay'), await nexus.person('gus')];
  await save(owner.key, 'zeppelin');
  const page = await chromium.open();
  await openLibrary(page, nexus, owner.key);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('zeppe');
  await page.getByRole('option', { name: 'Page zeppelin' }).waitFor();
  await expectAccessible(page);
  // Enter ends the composition of a character first.
  await page
    .getByRole('combobox')
    .evaluate<void, never>(
      `(field) => field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true }))`,
    );
  expect(await page.getByRole('combobox').inputValue()).toBe('zeppe');
  await page.keyboard.press('Enter');
  await page.locator('.prose-part').waitFor();

  const other = await chromium.open();
  await openLibrary(other, nexus, stranger.key);
  await other.keyboard.press('Control+k');
  const answered = other.waitForResponse((response) => response.url().includes('/api/v1/search'));
  await other.getByRole('combobox').fill('zeppe');
  await answered;
  await other.getByRole('option', { name: 'Search for "zeppe"' }).waitFor();
  expect(await other.getByRole('option', { name: 'Page zeppelin' }).count()).toBe(0);
});

test('the reading font is served by Nexus, and only the scripts on the page are loaded', async () => {
  const { key } = await nexus.person('ivy');
  const id = await save(key, 'font');
  const page = await chromium.open();
  const fonts: string[] = [];
  page.on('request', (request) => {
    if (request.resourceType() === 'font') fonts.push(new URL(request.url()).pathname);
  });
  await openLibrary(page, nexus, key);
  await page.goto(`${nexus.url}/app/read/${id}`);
  await page.locator('.prose-part').waitFor();
  await page.evaluate('document.fonts.ready');
  expect(await page.evaluate('document.fonts.check(\'1rem "Source Serif 4 Variable"\')')).toBe(true);
  expect(fonts.length).toBeGreaterThan(0);
  expect(fonts.filter((path) => !/^\/app\/assets\/source-serif-4-latin-/.test(path))).toEqual([]);
});

test('menus have the colours of the reader', async () => {
  const { key } = await nexus.person('hal');
  const id = await save(key, 'night');
  const page = await chromium.open({ colorScheme: 'light' });
  await openLibrary(page, nexus, key);
  await page.goto(`${nexus.url}/app/read/${id}`);
  await page.getByRole('button', { name: 'Text and colours' }).click();
  await page.getByRole('button', { name: 'Night', exact: true }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Actions for Page night' }).click();
  await page.getByRole('menuitem', { name: 'Why do I see this?' }).waitFor();
  const scheme = `getComputedStyle(document.querySelector('[role="menu"]')).colorScheme`;
  expect(await page.evaluate(scheme)).toBe('dark');
});

test('an address that cannot exist is not found, without a validation message', async () => {
  const page = await chromium.open();
  await openLibrary(page, nexus, DEV_KEYS.admin);
  for (const path of [
    'read/nonsense',
    'library/nonsense',
    'console/jobs/nonsense',
    'console/webhooks/nonsense',
  ]) {
    await page.goto(`${nexus.url}/app/${path}`);
    await page.getByText('Not found', { exact: true }).waitFor();
    expect(await page.getByRole('main').innerText()).not.toMatch(/UUID|invalid/i);
  }
});
