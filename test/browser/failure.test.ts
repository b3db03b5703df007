import { expect, test } from 'vitest';
import { DEV_KEYS } from '../support/call.ts';
import { makePage } from '../support/fixtures/pages.ts';
import { useChromium } from './chromium.ts';
import { useNexus } from './nexus.ts';
import { openLibrary } from './person.ts';
import { seedFailedPodcast } from './seed.ts';

let isThere = false;
const nexus = useNexus((_request, response) => {
  if (!isThere) return void response.writeHead(404).end();
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(makePage({ title: 'Found after all' }));
});
const chromium = useChromium();

test('a failed item shows its error and its attempts, and can be retried', async () => {
  const page = await chromium.open();
  await openLibrary(page, nexus, DEV_KEYS.researcher);
  await page.keyboard.press('n');
  await page.getByLabel('Links').fill(`${nexus.site.url}/lost`);
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();

  await page.getByText('Page not found (404)').waitFor();
  await page.getByRole('link', { name: /lost/ }).click();
  await page.getByRole('heading', { name: 'Processing failed' }).waitFor();
  await page.getByRole('button', { name: 'Show attempts' }).click();
  await page.getByText('Attempt 1: Failed').waitFor();
  await page.getByRole('button', { name: 'Close' }).click();

  isThere = true;
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByText('nobody had touched the ink').first().waitFor();
  expect(await page.title()).toContain('Found after all');
});

test('a person who may not retry is told who may', async () => {
  const [owner, member] = [await nexus.person('olga'), await nexus.person('mina')];
  const call = async (method: string, path: string, key: string, body?: object) =>
    (await nexus.call(method, path, { key, ...(body && { body }) })).body.data;
  const library = await call('POST', '/api/v1/libraries', owner.key, { name: 'Shelf' });
  const { media_id } = await call('POST', '/api/v1/media', owner.key, {
    url: 'http://127.0.0.1:1/lost',
  });
  await call('POST', `/api/v1/libraries/${library.id}/media`, owner.key, { media_id });
  const invitation = await call('POST', `/api/v1/libraries/${library.id}/invites`, owner.key, {
    invitee_username: 'mina',
  });
  await call('POST', `/api/v1/libraries/invites/${invitation.id}/accept`, member.key);
  const page = await chromium.open();
  await openLibrary(page, nexus, member.key);
  const row = page.getByRole('article').filter({ hasText: '127.0.0.1:1/lost' });
  await row.locator('.media-note-failed').waitFor();
  await row.getByRole('button', { name: /Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Show attempts' }).waitFor();
  expect(await page.getByRole('menuitem', { name: 'Retry' }).count()).toBe(0);
  await page.keyboard.press('Escape');
  expect(await row.getByRole('button', { name: /Retry/ }).count()).toBe(0);
  await page.goto(`${nexus.url}/app/read/${media_id}`);
  await page.getByText('can retry it').waitFor();
  await page.getByRole('button', { name: 'Show attempts' }).click();
  await page.getByText('Attempt 1: Failed').waitFor();
  expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(0);
});

test('an item of a type that cannot be processed stays queued', async () => {
  const { body } = await nexus.call('GET', '/api/v1/me', { key: DEV_KEYS.researcher });
  await seedFailedPodcast(nexus.database.sql, body.data);
  const page = await chromium.open();
  await openLibrary(page, nexus, DEV_KEYS.researcher);
  await page.getByRole('button', { name: 'Retry An episode' }).click();
  await page.getByText('Queued (not supported yet)').waitFor();
});

test('a rejected link shows its error until it is dismissed', async () => {
  chromium.forgive(/400.*\/api\/v1\/media/);
  const page = await chromium.open();
  await openLibrary(page, nexus, DEV_KEYS.operator);
  await page.keyboard.press('n');
  await page.getByLabel('Links').fill('https://user:secret@example.com/');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  const card = page.getByRole('region', { name: 'Saving' });
  await card.getByRole('alert').waitFor();
  await card.getByRole('button', { name: 'Dismiss' }).click();
  await card.waitFor({ state: 'detached' });
});

test('without a network, a page and an action fail with a message, and nothing is done later', async () => {
  chromium.forgive(/ERR_INTERNET_DISCONNECTED/);
  const body = { url: `${nexus.site.url}/kept` };
  await nexus.call('POST', '/api/v1/media', { key: DEV_KEYS.operator, body });
  const page = await chromium.open();
  await openLibrary(page, nexus, DEV_KEYS.operator);
  await page.keyboard.press('g');
  await page.keyboard.press('l');
  const dialog = page.getByRole('dialog', { name: 'New library' });
  await dialog.getByLabel('Name').fill('Too late');
  await page.context().setOffline(true);
  await dialog.getByRole('button', { name: 'Create' }).click();
  await page.getByText('Nexus cannot be reached.').first().waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Finished', exact: true }).click();
  await page.getByRole('button', { name: 'Retry' }).waitFor();

  await page.context().setOffline(false);
  await page.getByText('No items match these filters').waitFor();
  const libraries = await nexus.call('GET', '/api/v1/libraries', { key: DEV_KEYS.operator });
  expect(libraries.body.data.map(({ name }: { name: string }) => name)).not.toContain('Too late');
});
