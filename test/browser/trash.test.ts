import { beforeAll, expect, test, vi } from 'vitest';
import { DEV_KEYS } from '../support/call.ts';
import { makePage } from '../support/fixtures/pages.ts';
import { useChromium } from './chromium.ts';
import { inBothLooks } from './looks.ts';
import { useNexus } from './nexus.ts';
import { expectAccessible, expectToFit, openLibrary, signIn } from './person.ts';

const nexus = useNexus((request, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(makePage({ title: `Page ${request.url?.slice(1)}` }));
});
const chromium = useChromium();
const key = DEV_KEYS.admin;
const save = async (path: string) =>
  (await nexus.call('POST', '/api/v1/media', { key, body: { url: nexus.site.url + path } })).body.data
    .media_id as string;
const ids: string[] = [];

beforeAll(async () => {
  for (const path of ['/one', '/two', '/three']) ids.push(await save(path));
  // A page that is open asks for an item whose status changes, and must not ask for one that was just deleted.
  await vi.waitFor(async () => {
    const left = await nexus.database.sql`select from media where processing_status not like 'ready%'`;
    expect(left).toHaveLength(0);
  }, 30_000);
  for (const id of ids) {
    await nexus.database
      .sql`update media set title = ${`Item ${ids.indexOf(id) + 1}`}, given_title = null where id = ${id}`;
  }
});

test('items in the trash are restored, deleted permanently, and all deleted at once', async () => {
  const page = await chromium.open();
  await openLibrary(page, nexus, key);
  // The open list may ask for an item that is removed meanwhile.
  chromium.forgive(/404.*\/api\/v1\/media\//);
  for (const id of ids) await nexus.call('DELETE', `/api/v1/media/${id}`, { key });
  await page.keyboard.press('g');
  await page.keyboard.press('t');
  await page.getByRole('heading', { name: 'Trash', exact: true }).waitFor();
  const rows = page.locator('.trash-row');
  await rows.nth(2).waitFor();
  expect(await page.getByText('30 days left').count()).toBe(3);

  await page
    .getByRole('button', { name: /^Restore / })
    .first()
    .click();
  await page.getByText('Restored to your library').waitFor();
  await rows.nth(2).waitFor({ state: 'detached' });

  await page
    .getByRole('button', { name: /^Delete permanently: / })
    .first()
    .click();
  const dialog = page.getByRole('dialog', { name: 'Delete permanently?' });
  await dialog.getByText('This cannot be undone').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(await rows.count()).toBe(2);
  await page
    .getByRole('button', { name: /^Delete permanently: / })
    .first()
    .click();
  await dialog.getByRole('button', { name: 'Delete permanently' }).click();
  await rows.nth(1).waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Empty trash' }).click();
  await page
    .getByRole('dialog', { name: 'Empty the trash?' })
    .getByRole('button', { name: 'Empty trash' })
    .click();
  await page.getByRole('heading', { name: 'The trash is empty' }).waitFor();
  const left = await nexus.database.sql<
    { id: string }[]
  >`select id from media where id = any(${ids}::uuid[])`;
  expect(left).toHaveLength(1);
});

test('the trash and the storage in the settings are accessible and fit the screen', async () => {
  await nexus.call('DELETE', `/api/v1/media/${await save('/four')}`, { key });
  await inBothLooks(chromium, async (page, look) => {
    await signIn(page, nexus, key);
    await page.goto(`${nexus.url}/app/trash`);
    await page.getByText('days left').first().waitFor();
    await expectAccessible(page, look);
    await expectToFit(page, look);
    await page.getByRole('button', { name: 'Empty trash' }).click();
    await page.getByRole('dialog').waitFor();
    await expectAccessible(page, look);
    await page.goto(`${nexus.url}/app/settings`);
    await page.getByText('MB used of 10 GB').waitFor();
    await expectAccessible(page, look);
    await expectToFit(page, look);
  });
});
