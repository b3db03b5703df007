import { expect, test } from 'vitest';
import { DEV_KEYS } from '../support/call.ts';
import { useChromium } from './chromium.ts';
import { useNexus } from './nexus.ts';
import { openLibrary } from './person.ts';
import { seedArticles } from './seed.ts';

const nexus = useNexus((_request, response) => void response.writeHead(404).end());
const chromium = useChromium();
const COUNT = 20_000;
const FRAMES = 120;
const STEP = 150;
/** Rows are at least this high. */
const ROW = 90;
const SCROLLED_ROWS = (FRAMES * STEP) / ROW;

test('a list of 20,000 items opens with one request, and renders only the rows that come into view', async () => {
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
  expect(height).toBeGreaterThan(COUNT * ROW);
  const rendered = Number(await page.evaluate(SCROLL));
  expect(rendered).toBeGreaterThan(SCROLLED_ROWS / 2);
  expect(rendered).toBeLessThan(SCROLLED_ROWS * 3);
  expect(await page.locator('.media-row').count()).toBeLessThan(60);
  expect(await page.evaluate('document.documentElement.scrollHeight')).toBe(height);
  expect(asked.length).toBeGreaterThan(1);
});

/**
 * Scrolls frame by frame, and returns how many rows were added to the page. A browser that draws for several tests at once
 * may leave frames out, so none is waited for long.
 */
const SCROLL = `(async () => {
  let rendered = 0;
  const observer = new MutationObserver((changes) => {
    const added = changes.flatMap(({ addedNodes }) => [...addedNodes]).filter((node) => node instanceof Element);
    for (const node of added) rendered += Number(node.matches('.media-row')) + node.querySelectorAll('.media-row').length;
  });
  observer.observe(document.body, { childList: true, subtree: true });
  for (let drawn = 0; drawn < ${FRAMES}; drawn += 1) {
    window.scrollBy(0, ${STEP});
    await new Promise((next) => { requestAnimationFrame(next); setTimeout(next, 250); });
  }
  observer.disconnect();
  return rendered;
})()`;
