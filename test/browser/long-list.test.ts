import type { Page } from 'playwright-core';
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

test('a list of 20,000 items opens with one request, renders few rows, and scrolls with little work for each frame', async () => {
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
  const busy = await cpuSecondsOf(page, () => page.evaluate(SCROLL));
  expect(busy / FRAMES).toBeLessThan(0.03);
  expect(await page.locator('.media-row').count()).toBeLessThan(60);
  expect(await page.evaluate('document.documentElement.scrollHeight')).toBe(height);
  expect(asked.length).toBeGreaterThan(1);
});

/** Scrolls frame by frame. A browser that draws for several tests at once may leave frames out, so none is waited for long. */
const SCROLL = `(async () => {
  for (let drawn = 0; drawn < ${FRAMES}; drawn += 1) {
    window.scrollBy(0, 150);
    await new Promise((next) => { requestAnimationFrame(next); setTimeout(next, 250); });
  }
})()`;

/** Returns the CPU time of the page's main thread, which a busy machine does not change. */
async function cpuSecondsOf(page: Page, work: () => Promise<unknown>): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const read = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
  };
  const before = await read();
  await work();
  return (await read()) - before;
}
