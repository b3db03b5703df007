import type { Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import { makePage } from '../support/fixtures/pages.ts';
import { useChromium } from './chromium.ts';
import { inBothLooksOf } from './looks.ts';
import { useNexus } from './nexus.ts';
import { expectAccessible, expectToFit, signIn } from './person.ts';

const nexus = useNexus((request, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(makePage({ title: `Notes on ${request.url?.slice(1)}` }));
});
const chromium = useChromium();

const call = async (key: string, method: string, path: string, body?: unknown) => {
  const answer = await nexus.call(method, `/api/v1${path}`, { key, ...(body !== undefined && { body }) });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body?.data;
};

async function save(key: string, name: string): Promise<string> {
  const { media_id } = await call(key, 'POST', '/media', { url: `${nexus.site.url}/${name}` });
  await vi.waitFor(async () => {
    expect((await call(key, 'GET', `/media/${media_id}`)).processing_status).toBe('ready');
  }, 30_000);
  return media_id;
}

const tagsOf = async (key: string, mediaId: string) =>
  (await call(key, 'GET', `/media/${mediaId}/mine`)).tags;
const toast = (page: Page, text: string | RegExp) => page.locator('.toast', { hasText: text });
const openRules = async (page: Page, key: string) => {
  await signIn(page, nexus, key);
  await page.goto(`${nexus.url}/app/rules`);
};

test('a rule is created with a checked query, previewed, applied, explained and undone', async () => {
  chromium.forgive(/40[04] \((Bad Request|Not Found)\)/);
  const { key } = await nexus.person('ada');
  const library = await call(key, 'POST', '/libraries', { name: 'Sea group' });
  const tides = await save(key, 'tides');
  const waves = await save(key, 'waves');
  const bread = await save(key, 'bread');
  const page = await chromium.open();
  await openRules(page, key);
  await page.getByRole('heading', { name: 'No rules yet' }).waitFor();
  await page.getByRole('button', { name: 'New rule' }).click();

  const dialog = page.getByRole('dialog', { name: 'New rule' });
  const query = dialog.getByRole('textbox', { name: 'When a saved item matches' });
  await query.fill('is:lost');
  await dialog.getByRole('alert').filter({ hasText: 'is:' }).waitFor();
  expect(await query.getAttribute('aria-invalid')).toBe('true');
  await query.fill('tides or waves');
  await dialog.getByText('2 items match now.').waitFor();
  await dialog.getByText('Search by tag, date, site and more').click();
  await dialog.getByRole('button', { name: 'is:unread' }).click();
  expect(await query.inputValue()).toBe('tides or waves is:unread');
  await query.fill('tides or waves');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByText('Choose what the rule does.').waitFor();
  await dialog.getByRole('combobox', { name: 'Add tags' }).fill('sea');
  await page.keyboard.press('Enter');
  await dialog.getByRole('combobox', { name: 'Add to a library' }).selectOption({ label: 'Sea group' });
  await dialog.getByRole('checkbox', { name: 'Archive it' }).check();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('The sea');
  await inBothLooksOf(page, async (look) => {
    await expectAccessible(page, `dialog ${look}`);
    await expectToFit(page, `dialog ${look}`);
  });
  await dialog.getByRole('button', { name: 'Create' }).click();
  const card = page.getByRole('list', { name: 'Your rules' }).getByRole('listitem');
  await card.waitFor();
  expect((await card.locator('.rule-sentence').innerText()).replaceAll(/\s+/g, ' ')).toBe(
    'When a saved item matches tides or waves, add the tag sea, add it to Sea group and archive it.',
  );

  await toast(page, 'Created the rule The sea').getByRole('button', { name: 'Preview' }).click();
  await page.getByRole('heading', { name: 'Preview: The sea' }).waitFor();
  await page.getByText('2 items match, 2 items would change.').waitFor();
  const items = page.getByRole('list', { name: 'Items of this run' }).getByRole('listitem');
  await items.filter({ hasText: 'Notes on tides' }).waitFor();
  await items.filter({ hasText: 'Would change: tag sea; added to Sea group; archived' }).first().waitFor();
  expect(await items.count()).toBe(2);
  expect(await tagsOf(key, tides)).toEqual([]);

  await page.getByRole('button', { name: 'Apply to existing items' }).click();
  const question = page.getByRole('dialog', { name: 'Apply The sea to existing items?' });
  await question.getByRole('button', { name: 'Apply' }).click();
  await page.getByRole('heading', { name: 'Apply: The sea' }).waitFor();
  await page.getByText('2 items match, 2 items changed.').waitFor();
  expect(await tagsOf(key, tides)).toEqual(['sea']);
  expect(await tagsOf(key, bread)).toEqual([]);
  await inBothLooksOf(page, async (look) => {
    await expectAccessible(page, `run ${look}`);
    await expectToFit(page, `run ${look}`);
  });
  const runPage = page.url();

  await items.getByRole('link', { name: 'Notes on tides' }).click();
  await page.getByRole('button', { name: 'Why these tags?' }).click();
  const reasons = page.getByRole('list', { name: 'Why these tags?' });
  await reasons.getByText('Added by the rule The sea').waitFor();
  await reasons.getByRole('link', { name: 'The sea' }).click();
  await page.getByRole('heading', { name: 'Rules', exact: true }).waitFor();

  // A tag that the person removes and adds again stays.
  await call(key, 'PATCH', `/media/${waves}/mine`, { tags: [] });
  await call(key, 'PATCH', `/media/${waves}/mine`, { tags: ['sea'] });
  await page.goto(runPage);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Undone: 2 items. 1 item kept changes that were made since.').waitFor();
  await items.filter({ hasText: 'Undone, except what was changed since: tags' }).waitFor();
  expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
  expect([await tagsOf(key, tides), await tagsOf(key, waves)]).toEqual([[], ['sea']]);
  expect(await call(key, 'GET', `/libraries/${library.id}/media`)).toEqual([]);

  await page.getByRole('link', { name: 'Rules' }).first().click();
  await page.getByRole('link', { name: 'Runs of The sea' }).click();
  const runs = page.getByRole('list', { name: 'Runs' }).getByRole('listitem');
  await expect.poll(() => runs.locator('.badge').allInnerTexts()).toEqual(['Undone', 'Preview']);

  const other = await nexus.person('stranger');
  const elsewhere = await chromium.open();
  await signIn(elsewhere, nexus, other.key);
  await elsewhere.goto(runPage);
  await elsewhere.getByRole('heading', { name: 'Not found' }).waitFor();
});

test('a rule is switched, edited and deleted, and its notifications are shown wherever the person is', async () => {
  chromium.forgive(/412 \(Precondition Failed\)/);
  const { key } = await nexus.person('ben');
  const created = { name: 'Boats', query: 'boats', actions: { tags: ['boats'] } };
  const rule = await call(key, 'POST', '/rules', created);
  const page = await chromium.open();
  await openRules(page, key);
  const toggle = page.getByRole('switch', { name: 'Apply Boats to what I save' });
  await toggle.focus();
  await page.keyboard.press('Space');
  await expect.poll(async () => (await call(key, 'GET', `/rules/${rule.id}`)).is_enabled).toBe(false);
  expect(await toggle.getAttribute('aria-checked')).toBe('false');
  await toggle.click();
  await expect.poll(async () => (await call(key, 'GET', `/rules/${rule.id}`)).is_enabled).toBe(true);

  await page.getByRole('button', { name: 'Actions for the rule Boats' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit rule' });
  await dialog.getByRole('checkbox', { name: 'Notify me' }).check();
  // Meanwhile it is renamed on another device.
  await call(key, 'PATCH', `/rules/${rule.id}`, { name: 'All boats' });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('This rule was changed on another device.').waitFor();
  expect((await call(key, 'GET', `/rules/${rule.id}`)).actions).toEqual({ tags: ['boats'] });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('All boats');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('add the tag boats and notify you.').waitFor();

  await page.goto(`${nexus.url}/app/favourites`);
  await page.getByRole('heading', { name: 'No favourites yet' }).waitFor();
  await save(key, 'boats');
  await toast(page, 'All boats: Notes on boats').getByRole('button', { name: 'Open' }).waitFor();
  await page.getByRole('link', { name: 'Rules 1 new' }).click();
  const notifications = page.getByRole('region', { name: 'Recent notifications' });
  await notifications.getByRole('link', { name: 'Notes on boats' }).waitFor();
  await notifications.getByText('New', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Rules', exact: true }).waitFor();
  await inBothLooksOf(page, async (look) => {
    await expectAccessible(page, look);
    await expectToFit(page, look);
  });
  await page.reload();
  await notifications.getByRole('link', { name: 'Notes on boats' }).waitFor();
  expect(await notifications.getByText('New', { exact: true }).count()).toBe(0);

  await page.getByRole('button', { name: 'Actions for the rule All boats' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page
    .getByRole('dialog', { name: 'Delete the rule All boats?' })
    .getByRole('button', { name: 'Delete' })
    .click();
  await page.getByRole('heading', { name: 'No rules yet' }).waitFor();
  await notifications.waitFor({ state: 'detached' });
});

test('a rule whose library is out of reach says so', async () => {
  const [owner, helper] = [await nexus.person('owner'), await nexus.person('helper')];
  const library = await call(owner.key, 'POST', '/libraries', { name: 'Circle' });
  const invited = { invitee_username: 'helper', role: 'contributor' };
  const { id } = await call(owner.key, 'POST', `/libraries/${library.id}/invites`, invited);
  await call(helper.key, 'POST', `/libraries/invites/${id}/accept`);
  await call(helper.key, 'POST', '/rules', {
    name: 'To the circle',
    query: 'circle',
    actions: { library_id: library.id },
  });
  const page = await chromium.open();
  await openRules(page, helper.key);
  await page.getByText('add it to Circle.').waitFor();
  expect(await page.locator('.rule-warning').count()).toBe(0);
  await call(owner.key, 'PATCH', `/libraries/${library.id}/members/${helper.id}`, { role: 'reader' });
  await page.getByText('You may no longer add to Circle').waitFor();
  await call(owner.key, 'DELETE', `/libraries/${library.id}`);
  await page.getByText('add it to a library that you no longer have access to.').waitFor();
});
