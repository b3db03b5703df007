import { expect, test } from 'vitest';
import { DEV_KEYS } from '../support/call.ts';
import { makeEpub } from '../support/fixtures/epub.ts';
import { makePage } from '../support/fixtures/pages.ts';
import { makePdf } from '../support/fixtures/pdf.ts';
import { useChromium } from './chromium.ts';
import { useNexus } from './nexus.ts';
import { drop, expectAccessible, openLibrary } from './person.ts';

const nexus = useNexus((request, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(makePage({ title: `Page ${request.url?.slice(1)}` }));
});
const chromium = useChromium();

test('a dropped PDF is saved and read page by page', async () => {
  const page = await chromium.open();
  await openLibrary(page, nexus, DEV_KEYS.researcher);
  const pdf = makePdf({
    title: 'Tide tables',
    pages: [['High water at noon.'], ['Low water at six.'], ['Slack at three.']],
  });
  await drop(page, 'tides.pdf', 'application/pdf', pdf);
  await page.getByRole('link', { name: 'Tide tables' }).click();
  await page.getByText('Page 1 of 3').waitFor();
  await page.locator('.pdf-text', { hasText: 'High water at noon.' }).waitFor();
  await page.locator('[data-page="3"]').scrollIntoViewIfNeeded();
  await page.locator('.pdf-text', { hasText: 'Slack at three.' }).waitFor();
  await expectAccessible(page);
});

test('a dropped book is read chapter by chapter, and continued where it was left', async () => {
  const page = await chromium.open();
  await openLibrary(page, nexus, DEV_KEYS.researcher);
  await drop(page, 'book.epub', 'application/epub+zip', makeEpub({ title: 'Two parts' }));
  const kept = page.waitForResponse((response) => response.url().endsWith('/reading') && response.ok());
  await page.getByRole('link', { name: 'Two parts' }).click();
  await page.getByText('It began.').waitFor();
  await page
    .getByRole('navigation', { name: 'Contents' })
    .getByRole('button', { name: 'The second' })
    .click();
  await page.getByText('It went on.').waitFor();
  await expectAccessible(page);
  await kept;
  await page.reload();
  await page.getByText('It went on.').waitFor();
});

test('a file of another type is rejected with a message', async () => {
  const page = await chromium.open();
  await openLibrary(page, nexus, DEV_KEYS.researcher);
  await drop(page, 'notes.txt', 'text/plain', Buffer.from('notes'));
  await page.getByText('is not a PDF or EPUB file').waitFor();
});

test('several pasted links are saved as several items', async () => {
  const page = await chromium.open();
  await openLibrary(page, nexus, DEV_KEYS.viewer);
  await page.evaluate(`(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', '${nexus.site.url}/one ${nexus.site.url}/two');
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  })()`);
  await page.getByRole('link', { name: 'Page one' }).waitFor();
  await page.getByRole('link', { name: 'Page two' }).waitFor();
  await page.getByText('2 items', { exact: true }).waitFor();
});

test('a link that the list does not show is told of, and can be opened', async () => {
  const page = await chromium.open();
  await openLibrary(page, nexus, DEV_KEYS.viewer);
  await page.goto(`${nexus.url}/app/favourites`);
  await page.getByRole('heading', { name: 'Favourites', exact: true }).waitFor();
  await page.keyboard.press('n');
  await page.getByLabel('Links').fill(`${nexus.site.url}/one`);
  await page.keyboard.press('Enter');
  await page.getByText('You already have').waitFor();
  await page.getByRole('region', { name: 'Saving' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await page.locator('.prose-part').waitFor();
});

test('a dialog is closed by a click beside it, but not by a selection that ends there', async () => {
  const page = await chromium.open();
  await openLibrary(page, nexus, DEV_KEYS.viewer);
  await page.keyboard.press('n');
  const dialog = page.getByRole('dialog', { name: 'Save' });
  await dialog.getByLabel('Links').fill('https://example.org/half an address');
  const box = await dialog.boundingBox();
  if (!box) throw new Error('The dialog has no box.');
  const beside = { x: box.x - 20, y: box.y + 20 };
  await dialog.getByLabel('Links').hover();
  await page.mouse.down();
  await page.mouse.move(beside.x, beside.y);
  await page.mouse.up();
  expect(await dialog.getByLabel('Links').inputValue()).toBe('https://example.org/half an address');
  await page.mouse.click(beside.x, beside.y);
  await dialog.waitFor({ state: 'detached' });
});

test('several items are marked as unread, and Undo restores their progress', async () => {
  const key = DEV_KEYS.viewer;
  const { body } = await nexus.call('GET', '/api/v1/media', { key });
  for (const [place, { id }] of body.data.entries()) {
    const reading = place === 0 ? { progress: 1, finished: true } : { progress: 0.5, position: { block: 3 } };
    await nexus.call('PUT', `/api/v1/media/${id}/reading`, { key, body: reading });
  }
  const page = await chromium.open();
  await openLibrary(page, nexus, key);
  const finished = page.getByRole('article').getByText('Finished', { exact: true });
  await finished.waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await page.getByRole('toolbar').getByRole('button', { name: 'Unread' }).click();
  await page.getByText('Marked 2 items as unread').waitFor();
  expect(await page.getByRole('link', { name: /^Unread: Page/ }).count()).toBe(2);
  await page.getByRole('button', { name: 'Undo' }).click();
  await finished.waitFor();
  const { body: again } = await nexus.call('GET', '/api/v1/media', { key });
  expect(again.data).toMatchObject([
    { reading: { progress: 1, finished_at: expect.any(String) } },
    { reading: { progress: 0.5, position: { block: 3 }, finished_at: null } },
  ]);
});

test('a removed item comes back with Undo, and is removed without it', async () => {
  const page = await chromium.open();
  await openLibrary(page, nexus, DEV_KEYS.viewer);
  const one = page.locator('.virtual-list').getByRole('link', { name: 'Page one' });
  await one.focus();
  await page.keyboard.press('#');
  await one.waitFor({ state: 'detached' });
  // The keyboard goes on from the next item, which stays focused when others come.
  const focused = () => page.evaluate('document.activeElement.textContent');
  await expect.poll(focused).toBe('Page two');
  await page.keyboard.press('z');
  await one.waitFor();
  expect(await focused()).toBe('Page two');

  await one.focus();
  await page.keyboard.press('#');
  await one.waitFor({ state: 'detached' });
  const removed = page.waitForRequest((request) => request.url().endsWith('/media/bulk'));
  await page.reload();
  await removed;
  await page.getByText('1 item', { exact: true }).waitFor();
  expect(await one.count()).toBe(0);
});

test('a file is added to the open library by the request that ingests it', async () => {
  const key = DEV_KEYS.researcher;
  const { body } = await nexus.call('POST', '/api/v1/libraries', { key, body: { name: 'Almanacs' } });
  const libraryId = body.data.id;
  const page = await chromium.open();
  await openLibrary(page, nexus, key);
  await page.goto(`${nexus.url}/app/library/${libraryId}`);
  await page.getByRole('button', { name: 'Save a link' }).click();
  const dialog = page.getByRole('dialog', { name: 'Save' });
  await dialog.getByLabel('Save to').waitFor();

  const ingest = page.waitForRequest((request) => request.url().endsWith('/ingest'));
  const file = makePdf({ title: 'Almanac', pages: [['Spring tide on Tuesday.']] });
  await dialog
    .locator('input[type="file"]')
    .setInputFiles({ name: 'almanac.pdf', mimeType: 'application/pdf', buffer: file });
  expect((await ingest).postDataJSON()).toEqual({ library_id: libraryId });
  await page.locator('.virtual-list').getByRole('link', { name: 'Almanac' }).waitFor();
});

test('a file that is dropped on the Save dialog gets the tags of the dialog', async () => {
  const tess = await nexus.person('tess');
  const page = await chromium.open();
  await openLibrary(page, nexus, tess.key);
  await page.keyboard.press('n');
  const dialog = page.getByRole('dialog', { name: 'Save' });
  await dialog.getByRole('combobox', { name: 'Tags' }).fill('tides');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Remove tides' }).waitFor();
  const pdf = makePdf({ title: 'Tagged tables', pages: [['High water at noon.']] });
  await drop(page, 'tagged.pdf', 'application/pdf', pdf);
  await dialog.waitFor({ state: 'detached' });
  const saved = async () => (await nexus.call('GET', '/api/v1/media', { key: tess.key })).body.data;
  await expect.poll(async () => (await saved())[0]?.mine.tags).toEqual(['tides']);
  expect(await saved()).toHaveLength(1);
});

test('signing out sends removals at once, and leaves no failed save to the next person', async () => {
  const [uma, vic] = [await nexus.person('uma'), await nexus.person('vic')];
  const url = `${nexus.site.url}/uma`;
  const { body } = await nexus.call('POST', '/api/v1/media', { key: uma.key, body: { url } });
  const page = await chromium.open();
  await openLibrary(page, nexus, uma.key);
  await page.getByRole('link', { name: 'Page uma' }).waitFor();
  chromium.forgive(/Failed to load resource/);
  await page.route('**/api/v1/media', (route) => route.abort());
  await page.keyboard.press('n');
  await page.getByRole('textbox', { name: 'Links' }).fill(`${nexus.site.url}/private`);
  await page.keyboard.press('Enter');
  const failed = page.getByRole('button', { name: 'Retry' });
  await failed.waitFor();
  await page.getByRole('button', { name: 'Actions for Page uma' }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  await page.getByText('Removed "Page uma"').waitFor();

  await page.getByRole('button', { name: 'uma', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Use an API key instead' }).click();
  const media = await nexus.call('GET', `/api/v1/media/${body.data.media_id}`, { key: uma.key });
  expect(media.status).toBe(404);
  await page.getByLabel('API key').fill(vic.key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'My library' }).waitFor();
  expect(await failed.count()).toBe(0);
});
