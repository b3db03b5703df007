import { expect, test } from 'vitest';
import { DEV_KEYS } from '../support/call.ts';
import { makePage } from '../support/fixtures/pages.ts';
import { useChromium } from './chromium.ts';
import { useNexus } from './nexus.ts';

const nexus = useNexus((request, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(
    makePage({ title: `Page ${request.url?.slice(1)}`, language: request.url === '/two' ? 'de' : 'en' }),
  );
});
const chromium = useChromium();

test('signing in, saving, reading and searching work with the keyboard alone', async () => {
  const page = await chromium.open();
  const { keyboard } = page;
  await page.goto(`${nexus.url}/app/sign-in`);
  await page.getByLabel('Username').waitFor();
  const focused = () => page.evaluate('document.activeElement.textContent');
  for (let tabs = 0; (await focused()) !== 'Use an API key instead' && tabs < 10; tabs += 1) {
    await keyboard.press('Tab');
  }
  await keyboard.press('Enter');
  await keyboard.type(DEV_KEYS.viewer);
  await keyboard.press('Enter');
  await page.getByRole('heading', { name: 'My library' }).waitFor();

  await keyboard.press('n');
  await page.getByLabel('Links').waitFor();
  await keyboard.type(`${nexus.site.url}/one ${nexus.site.url}/two`);
  await keyboard.press('Enter');
  await page.getByRole('link', { name: 'Page one' }).waitFor();
  await page.getByRole('link', { name: 'Page two' }).waitFor();

  await keyboard.press('?');
  await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
  await keyboard.press('Escape');
  await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor({ state: 'detached' });

  await keyboard.press('j');
  const first = await focused();
  await keyboard.press('j');
  await expect.poll(focused).not.toBe(first);
  await keyboard.press('k');
  await expect.poll(focused).toBe(first);
  await keyboard.press('x');
  await page.getByText('1 selected').waitFor();
  await keyboard.press('Escape');
  await page.getByText('1 selected').waitFor({ state: 'detached' });

  await keyboard.press('o');
  await page.locator('.prose-part').waitFor();
  await keyboard.press('e');
  await page.getByText('Marked as finished').waitFor();
  await keyboard.press('z');
  await page.getByRole('button', { name: 'Mark as finished' }).first().waitFor();
  await keyboard.press('u');
  await page.getByText('Marked as unread').waitFor();
  await page.getByRole('heading', { name: 'My library' }).waitFor();
  expect(first).toMatch(/^Unread: Page/);
  await page.getByRole('link', { name: String(first) }).waitFor();

  await keyboard.press('/');
  await page.getByRole('searchbox').waitFor();
  await keyboard.type('Dächern');
  await page.locator('mark', { hasText: 'Dächern' }).first().waitFor();
  expect(await page.getByRole('link', { name: 'Page one' }).count()).toBe(0);

  await keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Find a command' }).waitFor();
  await keyboard.type('invit');
  await keyboard.press('Enter');
  await page.getByText('No invitations').waitFor();
  await keyboard.press('g');
  await keyboard.press('h');
  await page.getByRole('heading', { name: 'My library' }).waitFor();
});
