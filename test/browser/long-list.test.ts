import { expect, test } from 'vitest';
import { DEV_KEYS } from '../support/call.ts';
import { useChromium } from './chromium.ts';
import { useNexus } from './nexus.ts';
import { openLibrary } from './person.ts';
import { seedArticles } from './seed.ts';

const nexus = useNexus((_request, response) => void response.writeHead(404).end());
const chromium = useChromium();
const COUNT = 20_000;

test('a list of 20,000 items opens with one request, renders few rows, and scrolls without long pauses', async () => {
  const { body } = await nexus.call('GET', '/api/v1/me', { key: DEV_KEYS.researcher });
  await seedArticles(nexus.database.sql, body.data, COUNT);
  const page = await chromium.open();
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    const isList = pathname === '/api/v1/media' && searchParams.get('sort') !== 'read';
    if (isList) asked.push(request.url());
  });
  await openLibrary(page, nexus, DEV_KEYS.researcher);
  await page.getByText('20,000 items').waitFor();
  expect(asked.length).toBe(1);

  const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
  expect(height).toBeGreaterThan(COUNT * 90);
  const frames = await page.evaluate(SCROLL);
  const { drawn, longest } = frames as { drawn: number; longest: number };
  expect(drawn).toBeGreaterThan(100);
  expect(longest).toBeLessThan(500);
  expect(await page.locator('.media-row').count()).toBeLessThan(60);
  expect(await page.evaluate('document.documentElement.scrollHeight')).toBe(height);
  expect(asked.length).toBeGreaterThan(1);
});

/** Scrolls for two seconds, frame by frame. */
const SCROLL = `new Promise((resolve) => {
  let drawn = 0, longest = 0, last = performance.now();
  const step = (now) => {
    longest = Math.max(longest, now - last);
    last = now;
    drawn += 1;
    window.scrollBy(0, 150);
    if (drawn <= 120) requestAnimationFrame(step);
    else resolve({ drawn, longest });
  };
  requestAnimationFrame(step);
})`;
