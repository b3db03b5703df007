import type { Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import { DEV_KEYS } from '../support/call.ts';
import { makePage } from '../support/fixtures/pages.ts';
import { useChromium } from './chromium.ts';
import { inBothLooksOf } from './looks.ts';
import { useNexus } from './nexus.ts';
import { expectAccessible, expectToFit, signIn } from './person.ts';

let isGone = true;
const told: string[] = [];
const nexus = useNexus((request, response) => {
  if (request.url === '/hook') {
    told.push(String(request.headers['webhook-id']));
    return void response.writeHead(200).end('thank you');
  }
  if (request.url?.startsWith('/gone') && isGone) return void response.writeHead(404).end();
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(makePage({ title: 'The lamp on the desk' }));
});
const chromium = useChromium();
const admin = { key: DEV_KEYS.admin };

async function signedIn(key: string, options = {}): Promise<Page> {
  const page = await chromium.open(options);
  await signIn(page, nexus, key);
  return page;
}

const open = (page: Page, path: string) => page.goto(`${nexus.url}/app/console/${path}`);
const save = (path: string, by = admin) =>
  nexus.call('POST', '/api/v1/media', { ...by, body: { url: `${nexus.site.url}${path}` } });

test('an operator finds, explains and requeues a failed job', async () => {
  for (const n of [1, 2, 3]) await save(`/gone/${n}`);
  const page = await signedIn(DEV_KEYS.operator);
  await open(page, 'overview');
  await page.getByRole('link', { name: 'Failures', exact: true }).click();

  const failure = page.getByRole('listitem').filter({ hasText: 'E_PAGE_NOT_FOUND' });
  await failure.getByText('3jobs').waitFor();
  await failure.getByRole('link', { name: 'Show jobs' }).click();
  await page.getByRole('table').getByRole('link').nth(2).waitFor();
  expect(await page.getByRole('table').getByRole('link').count()).toBe(3);
  const shared = page.url();

  await page
    .getByRole('link', { name: /ingest_media/ })
    .first()
    .click();
  await page.getByRole('heading', { name: 'Last error' }).waitFor();
  await page.getByText('Attempt 1').waitFor();
  expect(await page.getByRole('main').innerText()).toMatch(/ran \d+ .*, on /);

  isGone = false;
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByText('Attempt 2').waitFor();
  await page.getByText('Only the owner and admins can see the content.').waitFor();
  const job = page.url().split('/').at(-1);
  await vi.waitFor(async () => {
    const { body } = await nexus.call('GET', `/api/v1/jobs/${job}`, admin);
    expect(body.status).toBe('succeeded');
  }, 30_000);

  // Another operator opens the same address, and requeues the other two jobs.
  const other = await signedIn(DEV_KEYS.admin);
  await other.goto(shared);
  await other.getByRole('table').getByRole('link').first().waitFor();
  await other.getByRole('checkbox', { name: 'Select all' }).check();
  await other.getByText('2 jobs selected').waitFor();
  await other.getByRole('button', { name: 'Retry' }).first().click();
  await other.getByText('2 jobs retried.').waitFor();
  await other.getByText('No jobs match these filters').waitFor();
  const { body } = await nexus.call('GET', '/api/v1/audit?action=job.requeued', admin);
  expect(body.data.map(({ actor }: { actor: string }) => actor).sort()).toEqual([
    'dev-admin',
    'dev-admin',
    'dev-operator',
  ]);
});

test('a webhook is created, tested, and its delivery is sent again', async () => {
  const page = await signedIn(DEV_KEYS.admin);
  await open(page, 'webhooks');
  await page.getByRole('button', { name: 'New webhook' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Address').fill('http://169.254.169.254/');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByRole('alert').waitFor();
  chromium.forgive(/status of 400/);
  await dialog.getByLabel('Address').fill(`${nexus.site.url}/hook`);
  await dialog.getByLabel('library.deleted').check();
  await dialog.getByRole('button', { name: 'Create' }).click();
  expect(await page.locator('[data-secret]').innerText()).toMatch(/^whsec_\S{20,}$/);
  await page.getByRole('button', { name: 'Done' }).click();

  await page.getByRole('button', { name: 'Send test' }).click();
  await page.getByRole('button', { name: 'webhook.test' }).click();
  await page.getByText('thank you').waitFor();
  expect(told).toHaveLength(1);
  await page.getByRole('button', { name: 'Send again' }).click();
  await page.getByText('2 attempts').waitFor();
  expect(told).toEqual([told[0], told[0]]);

  await page.getByRole('button', { name: 'Rotate secret' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
  expect(await page.locator('[data-secret]').innerText()).toMatch(/^whsec_/);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Disable' }).click();
  await page.getByRole('button', { name: 'Enable' }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No webhooks yet').waitFor();
});

test('the integrity audit finds an inconsistency and repairs it', async () => {
  await save('/fine');
  const { sql } = nexus.database;
  const broken = await sql`
    delete from library_media where ctid in (select ctid from library_media limit 1) returning media_id`;
  expect(broken).toHaveLength(1);
  const page = await signedIn(DEV_KEYS.operator);
  await open(page, 'integrity');
  await page.getByRole('button', { name: 'Run audit' }).click();
  await page.locator('.console-stat', { hasText: /^Inconsistencies1$/ }).waitFor();
  await page.getByText(String(broken[0]?.media_id)).waitFor();
  await page.getByRole('button', { name: 'Repair', exact: true }).click();
  await page.getByText('derived data was repaired').waitFor();
  await page.getByRole('button', { name: 'Run audit' }).click();
  await page.locator('.console-stat', { hasText: /^InconsistenciesNone$/ }).waitFor();
});

test('a user is created with a sign-in link, and a key is shown once', async () => {
  const page = await signedIn(DEV_KEYS.admin);
  await open(page, 'people');
  await page.getByRole('button', { name: 'New user' }).click();
  await page.getByLabel('Username').fill('carol');
  await page.getByRole('radio', { name: /operator/ }).check();
  await page.getByRole('button', { name: 'Create' }).click();
  expect(await page.locator('[data-secret]').innerText()).toContain('/app/');
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('row', { name: /carol/ }).getByRole('button', { name: 'New key' }).click();
  await page.getByLabel('Name', { exact: true }).fill('backup');
  await page.getByRole('button', { name: 'Create' }).click();
  const key = await page.locator('[data-secret]').innerText();
  expect((await nexus.call('GET', '/api/v1/auth/whoami', { key })).body).toMatchObject({
    owner: 'carol',
    role: 'viewer',
  });
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('row', { name: /carol/ }).getByRole('button', { name: 'Disable' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
  await page.getByText('Disabled carol.').waitFor();
  expect((await nexus.call('GET', '/api/v1/auth/whoami', { key })).status).toBe(401);
});

test('the console works with the keyboard alone', async () => {
  const page = await signedIn(DEV_KEYS.admin);
  await open(page, 'overview');
  await page.getByRole('heading', { level: 1 }).waitFor();
  for (const [keys, heading] of [
    ['gj', 'Jobs'],
    ['gw', 'Webhooks'],
    ['ga', 'Audit'],
    ['gj', 'Jobs'],
  ] as const) {
    for (const key of keys) await page.keyboard.press(key);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
  }
  await page.getByRole('table').getByRole('link').first().waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await page.getByText('1 job selected').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Attempts' }).waitFor();
});

test('every page is accessible and fits the screen, on a light desktop and a dark phone', async () => {
  const first = async (path: string, id: string) =>
    (await nexus.call('GET', `/api/v1/${path}`, admin)).body.data[0][id];
  await save('/fine');
  await nexus.call('POST', '/api/v1/webhooks', { ...admin, body: { url: `${nexus.site.url}/hook` } });
  const paths = [
    'overview',
    'jobs',
    'jobs?view=failures',
    'jobs?error=nowhere',
    `jobs/${await first('jobs?job_type=ingest_media', 'job_id')}`,
    'workers',
    'backfill',
    'outbox',
    `outbox/${await first('outbox/events?limit=1', 'id')}`,
    'webhooks',
    `webhooks/${await first('webhooks', 'id')}`,
    'integrity',
    'audit',
    'people',
    'people?view=keys',
  ];
  const page = await signedIn(DEV_KEYS.admin);
  for (const path of paths) {
    await open(page, path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
    await inBothLooksOf(page, async (look) => {
      await expectAccessible(page, look);
      await expectToFit(page, look);
    });
  }
}, 180_000);

test('the sidebar has one entry for the console, whose pages have their own navigation and keys', async () => {
  const page = await signedIn(DEV_KEYS.admin);
  await page.goto(`${nexus.url}/app/`);
  const sidebar = page.getByRole('complementary', { name: 'Navigation' });
  await sidebar.getByRole('link', { name: 'Console' }).click();
  await page.getByRole('heading', { name: 'Queues, over the last hour' }).waitFor();
  expect(await sidebar.getByRole('link', { name: 'Jobs' }).count()).toBe(0);
  const nav = page.getByRole('navigation', { name: 'Console' });
  expect(await nav.getByRole('link').count()).toBe(9);
  await nav.getByRole('link', { name: 'Workers' }).click();
  await page.getByRole('heading', { level: 1, name: 'Workers' }).waitFor();
  expect(await nav.getByRole('link', { name: 'Workers' }).getAttribute('aria-current')).toBe('page');
  expect(await sidebar.getByRole('link', { name: 'Console' }).getAttribute('aria-current')).toBe('page');

  for (const [keys, heading] of [
    ['gj', 'Jobs'],
    ['ga', 'Audit'],
    ['gu', 'Users and keys'],
  ] as const) {
    for (const key of keys) await page.keyboard.press(key);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
  }
  await page.keyboard.press('g');
  await page.keyboard.press('h');
  await page.getByRole('heading', { level: 1, name: 'My library' }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('c');
  await page.getByRole('heading', { name: 'Queues, over the last hour' }).waitFor();

  // On a phone the current section is in view, whatever its place in the row.
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page, 'people');
  const current = nav.locator('[aria-current="page"]');
  await current.waitFor();
  const box = await current.boundingBox();
  expect(box && box.x >= 0 && box.x + box.width <= 390).toBe(true);
});

test('links that nobody can read are no problem of Nexus, and admins see their address, and operators do not', async () => {
  isGone = true;
  const { key } = await nexus.person('gerda', 'viewer');
  await save('/gone/for-good', { key });
  const page = await signedIn(DEV_KEYS.admin);
  await vi.waitFor(async () => {
    const { body } = await nexus.call('GET', '/api/v1/jobs?error_code=E_PAGE_NOT_FOUND', admin);
    expect(body.data.length).toBeGreaterThan(0);
  }, 20_000);
  await open(page, 'overview');
  const failures = page.getByRole('listitem').filter({ hasText: 'Failures' });
  await failures.getByText('1 saved link could not be read.').waitFor();
  await failures.getByRole('img', { name: 'OK' }).waitFor();
  await open(page, 'jobs?error_code=E_PAGE_NOT_FOUND');
  await page.getByRole('table').getByRole('link').first().click();
  // It is an item that only its saver may read, so the admin sees no more of it.
  chromium.forgive(/status of 404/);
  await page.getByRole('region', { name: 'Item' }).getByText(`${nexus.site.url}/gone/for-good`).waitFor();
  const operator = await signedIn(DEV_KEYS.operator);
  await operator.goto(page.url());
  await operator.getByText('Only the owner and admins can see the content.').waitFor();
  expect(await operator.getByText('for-good').count()).toBe(0);
});

test('the audit log has names instead of ids, and the list of jobs fits a usual screen', async () => {
  const { id, username } = await nexus.person('frida', 'viewer');
  await nexus.call('POST', `/api/v1/users/${id}/sign-in-link`, admin);
  const page = await signedIn(DEV_KEYS.admin, { viewport: { width: 1440, height: 900 } });
  await open(page, 'audit?action=sign_in_link.created');
  const row = page.getByRole('row').filter({ hasText: username });
  await row.waitFor();
  expect(await row.innerText()).not.toContain(id.slice(-8));
  await open(page, 'audit?action=api_key.created');
  await page
    .getByRole('row')
    .filter({ hasText: username })
    .getByText(/^test \(nxs_.*…\)$/)
    .waitFor();
  await open(page, 'jobs');
  await page.getByRole('table').getByRole('link').first().waitFor();
  const overflow = `(() => {
    const { scrollWidth, clientWidth } = document.querySelector('.table-frame');
    return scrollWidth - clientWidth;
  })()`;
  expect(await page.evaluate(overflow)).toBe(0);
});

test('a text filter is applied when typing pauses, keeps the typed text, and can be cleared', async () => {
  const page = await signedIn(DEV_KEYS.admin);
  await open(page, 'audit');
  const field = page.getByLabel('Action', { exact: true });
  const applied = () => new URL(page.url()).searchParams.get('action');
  await field.pressSequentially('api_key ');
  await expect.poll(applied).toBe('api_key');
  expect(await field.inputValue()).toBe('api_key ');
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect.poll(applied).toBe(null);
  await expect.poll(() => field.inputValue()).toBe('');
});

test('the console is hidden from people without the role', async () => {
  const reader = await nexus.person('dora', 'viewer');
  const page = await signedIn(reader.key);
  await open(page, 'jobs');
  await page.getByRole('link', { name: 'My library' }).waitFor();
  await expect.poll(() => new URL(page.url()).pathname).toBe('/app/');
  expect(await page.getByText('Console', { exact: true }).count()).toBe(0);
  const operator = await nexus.person('emil', 'operator');
  const other = await signedIn(operator.key);
  await open(other, 'jobs');
  await other.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
  expect(await other.getByRole('link', { name: 'Webhooks', exact: true }).count()).toBe(0);
  await open(other, 'people');
  await expect.poll(() => new URL(other.url()).pathname).toBe('/app/');
});
