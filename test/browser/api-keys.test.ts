import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useChromium } from './chromium.ts';
import { copiedBy } from './clipboard.ts';
import { inBothLooks } from './looks.ts';
import { useNexus } from './nexus.ts';
import { expectAccessible, expectToFit, signIn } from './person.ts';

const nexus = useNexus((_request, response) => void response.writeHead(404).end());
const chromium = useChromium();
const SOON = { timeout: 30_000 };
const DAY_MS = 24 * 60 * 60 * 1000;

async function openSettings(page: Page, key: string): Promise<void> {
  await signIn(page, nexus, key);
  await page.goto(`${nexus.url}/app/settings`);
  await page.getByRole('button', { name: 'New key' }).waitFor();
}

/** Creates a key in the settings, and returns it. */
async function createKey(page: Page, name: string, choose?: () => Promise<unknown>): Promise<string> {
  await page.getByRole('button', { name: 'New key' }).click();
  const dialog = page.getByRole('dialog', { name: 'New key' });
  await dialog.getByLabel('Name').fill(name);
  await choose?.();
  await dialog.getByRole('button', { name: 'Create' }).click();
  const secret = await page.locator('[data-secret]').innerText();
  await page.getByRole('button', { name: 'Done' }).click();
  return secret;
}

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

async function choose(page: Page, name: string, action: 'Disable' | 'Delete'): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: action }).click();
  await page.getByRole('dialog', { name: `${action} the key ${name}?` }).waitFor();
}

/** The status of a request that reads, and of one that changes. */
async function statusesOf(key: string): Promise<number[]> {
  const read = await nexus.call('GET', '/api/v1/libraries', { key });
  const change = await nexus.call('POST', '/api/v1/libraries', { key, body: { name: 'Made by a key' } });
  return [read.status, change.status];
}

test('a key has the access that was chosen, and is shown once with a copy button', async () => {
  const person = await nexus.person('nora', 'viewer');
  const page = await chromium.open();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await openSettings(page, person.key);
  await page.getByRole('button', { name: 'New key' }).click();
  const dialog = page.getByRole('dialog', { name: 'New key' });
  await dialog.getByLabel('Name').fill('Phone');
  // A viewer can neither operate nor administer Nexus.
  expect(await dialog.getByRole('checkbox').count()).toBe(0);
  await dialog.getByRole('button', { name: 'Create' }).click();

  await page.getByText('It will not be shown again').waitFor();
  const reader = await page.locator('[data-secret]').innerText();
  const copied = await copiedBy(page, async () => {
    await page.getByRole('button', { name: 'Copy key' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
  });
  expect(copied).toBe(reader);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText(reader).waitFor({ state: 'detached' });
  expect(await statusesOf(reader)).toEqual([200, 403]);

  const writer = await createKey(page, 'Extension', () =>
    dialog.getByRole('radio', { name: 'Read and change' }).check(),
  );
  expect(await statusesOf(writer)).toEqual([200, 201]);
  expect(await rowOf(page, 'Phone').innerText()).toMatch(/Active\s+Read\s/);
  expect(await rowOf(page, 'Extension').innerText()).toMatch(/Active\s+Read and change\s/);
  await page.reload();
  expect(await rowOf(page, 'Phone').innerText()).toMatch(/just now/);
});

test('a key expires when the person chose', async () => {
  const person = await nexus.person('otto', 'viewer');
  const page = await chromium.open();
  await openSettings(page, person.key);
  const dialog = page.getByRole('dialog', { name: 'New key' });
  const expires = dialog.getByRole('combobox', { name: 'Expires' });
  await createKey(page, 'forever', () => expires.selectOption('Never'));
  await createKey(page, 'monthly', () => expires.selectOption('In 30 days'));
  await createKey(page, 'dated', async () => {
    await expires.selectOption('On a date');
    await dialog.getByLabel('Last day').fill('2099-03-09');
  });
  const { body } = await nexus.call('GET', '/api/v1/me/api-keys', { key: person.key });
  const expiryOf = (wanted: string): string | null =>
    body.data.find(({ name }: { name: string }) => name === wanted).expires_at;
  expect(expiryOf('forever')).toBe(null);
  expect(Date.parse(expiryOf('monthly') ?? '') / DAY_MS).toBeCloseTo(Date.now() / DAY_MS + 30, 1);
  // It works on the last day, in the zone of the browser.
  const lastMoment = await page.evaluate(`new Date('2099-03-09T23:59:59.999').toISOString()`);
  expect(expiryOf('dated')).toBe(lastMoment);
  expect(await rowOf(page, 'dated').innerText()).toContain('2099');
});

test('keys are disabled and deleted with the keyboard, and stop working immediately', async () => {
  const person = await nexus.person('pia', 'viewer');
  const page = await chromium.open();
  const { keyboard } = page;
  await openSettings(page, person.key);
  const [first, second] = [await createKey(page, 'First'), await createKey(page, 'Second')];

  await page.getByRole('button', { name: 'Actions for First' }).focus();
  await keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Disable' }).waitFor();
  await keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Disable the key First?' }).waitFor();
  await keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await expect.poll(() => focusedLabel(page), SOON).toBe('Actions for First');
  expect(await statusesOf(first)).toEqual([200, 403]);

  await choose(page, 'First', 'Disable');
  await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
  await rowOf(page, 'First').getByText('Disabled').waitFor();
  expect(await statusesOf(first)).toEqual([401, 401]);
  await page.getByRole('button', { name: 'Actions for First' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).waitFor();
  expect(await page.getByRole('menuitem', { name: 'Disable' }).count()).toBe(0);
  await keyboard.press('Escape');

  await choose(page, 'Second', 'Delete');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await rowOf(page, 'Second').waitFor({ state: 'detached' });
  // The row is gone, so that its list has the focus.
  await expect.poll(() => focusedLabel(page), SOON).toBe('API keys');
  expect(await statusesOf(second)).toEqual([401, 401]);
});

function focusedLabel(page: Page): Promise<unknown> {
  return page.evaluate('document.activeElement.getAttribute("aria-label")');
}

test('operators and admins may give a key more access', async () => {
  const [operator, admin] = [await nexus.person('quin', 'operator'), await nexus.person('rosa', 'admin')];
  const page = await chromium.open();
  await openSettings(page, operator.key);
  const box = (name: string) => page.getByRole('dialog').getByRole('checkbox', { name });
  const operating = await createKey(page, 'Monitor', async () => {
    expect(await box('Administration').count()).toBe(0);
    await box('Operations').check();
  });
  const jobs = await nexus.call('GET', '/api/v1/outbox/events', { key: operating });
  expect(jobs.status).toBe(200);
  expect(await rowOf(page, 'Monitor').innerText()).toContain('Read, operations');

  const other = await chromium.open();
  await openSettings(other, admin.key);
  const administering = await createKey(other, 'Setup', () =>
    other.getByRole('dialog').getByRole('checkbox', { name: 'Administration' }).check(),
  );
  expect((await nexus.call('GET', '/api/v1/users', { key: administering })).status).toBe(200);
  const plain = await createKey(other, 'Plain');
  expect((await nexus.call('GET', '/api/v1/users', { key: plain })).status).toBe(403);
});

test('keys and their dialogs are accessible and fit the screen, on a light desktop and a dark phone', () =>
  inBothLooks(chromium, async (page, look) => {
    const person = await nexus.person(`sam-${look}`, 'admin');
    await openSettings(page, person.key);
    const check = async () => {
      // An element halfway below the bar at the top would count as too small.
      await page.evaluate('scrollTo(0, 0)');
      await expectAccessible(page, look);
      await expectToFit(page, look);
    };
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name', { exact: true }).last().fill('Everything that reads my library at night');
    await page.getByRole('combobox', { name: 'Expires' }).selectOption('On a date');
    await page.getByLabel('Last day').fill('2099-03-09');
    await check();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.locator('[data-secret]').waitFor();
    await check();
    await page.getByRole('button', { name: 'Done' }).click();
    await rowOf(page, 'Everything that reads').waitFor();
    await check();
    await choose(page, 'Everything that reads my library at night', 'Delete');
    await check();
  }));
