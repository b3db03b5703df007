import { expect, test } from 'vitest';
import { makePage } from '../fixtures/pages.ts';
import { useChromium } from './chromium.ts';
import { useNexus } from './nexus.ts';

const nexus = useNexus((_request, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(makePage({ title: 'The lamp on the desk' }));
});
const chromium = useChromium();

test('first start to first article read', async () => {
  const page = await chromium.open();
  await page.goto(nexus.signInLink);
  await page.getByLabel('Your name').fill('Ada Reader');
  await page.getByLabel('Username').fill('ada');
  await page.getByLabel('Password').fill('a long enough password');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByLabel('Link').fill(`${nexus.site.url}/lamp`);
  await page.getByRole('button', { name: 'Save and open my library' }).click();
  await page.getByRole('link', { name: 'The lamp on the desk' }).click();
  await expect.poll(() => page.locator('.prose').innerText()).toContain('nobody had touched the ink');
});
