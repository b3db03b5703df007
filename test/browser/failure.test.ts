import { expect, test } from 'vitest';
import { DEV_KEYS } from '../app.ts';
import { makePage } from '../fixtures/pages.ts';
import { useChromium } from './chromium.ts';
import { useNexus } from './nexus.ts';
import { signIn } from './person.ts';
import { seedFailedPodcast } from './seed.ts';

let isThere = false;
const nexus = useNexus((_request, response) => {
  if (!isThere) return void response.writeHead(404).end();
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(makePage({ title: 'Found after all' }));
});
const chromium = useChromium();

test('a failure says what went wrong and what was tried, and a retry makes it readable', async () => {
  const page = await chromium.open();
  await signIn(page, nexus, DEV_KEYS.researcher);
  await page.keyboard.press('n');
  await page.getByLabel('Links').fill(`${nexus.site.url}/lost`);
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();

  await page.getByText('has no such page').waitFor();
  await page.getByRole('link', { name: /lost/ }).click();
  await page.getByRole('heading', { name: 'This could not be read' }).waitFor();
  await page.getByRole('button', { name: 'What was tried' }).click();
  await page.getByText('Attempt 1: Failed').waitFor();
  await page.getByRole('button', { name: 'Close' }).click();

  isThere = true;
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('nobody had touched the ink').first().waitFor();
  expect(await page.title()).toContain('Found after all');
});

test('what nobody can process waits, and says so', async () => {
  const { body } = await nexus.call('GET', '/me', { key: DEV_KEYS.researcher });
  await seedFailedPodcast(nexus.database.sql, body.data);
  const page = await chromium.open();
  await signIn(page, nexus, DEV_KEYS.researcher);
  await page.getByRole('button', { name: 'Retry An episode' }).click();
  await page.getByText('Queued (processor unavailable)').waitFor();
});

test('an address that Nexus refuses is a card with its sentence, and goes when dismissed', async () => {
  chromium.forgive(/400.*from_url/);
  const page = await chromium.open();
  await signIn(page, nexus, DEV_KEYS.operator);
  await page.keyboard.press('n');
  await page.getByLabel('Links').fill('https://user:secret@example.com/');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  const card = page.getByRole('region', { name: 'Being saved' });
  await card.getByRole('alert').waitFor();
  await card.getByRole('button', { name: 'Dismiss' }).click();
  await card.waitFor({ state: 'detached' });
});
