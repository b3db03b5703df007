import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { DEV_KEYS } from '../support/call.ts';
import { makeEpub } from '../support/fixtures/epub.ts';
import { useChromium } from './chromium.ts';
import { OUT } from './looks.ts';
import { useNexus } from './nexus.ts';
import { signIn } from './person.ts';
import { HARBOUR_AR, TIDES } from './reading-samples.ts';

const nexus = useNexus((request, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(request.url === '/arabic' ? HARBOUR_AR : TIDES);
});
const chromium = useChromium();
const ids: Record<string, string> = {};
beforeAll(async () => {
  await mkdir(OUT, { recursive: true });
  for (const name of ['tides', 'arabic']) {
    const body = { url: `${nexus.site.url}/${name}` };
    ids[name] = (
      await nexus.call('POST', '/api/v1/media', { key: DEV_KEYS.viewer, body })
    ).body.data.media_id;
  }
});

const desktop = { viewport: { width: 1100, height: 760 } };
const phone = { viewport: { width: 390, height: 760 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };

async function open(page: Page, name: string, tint = 'auto'): Promise<void> {
  await signIn(page, nexus, DEV_KEYS.viewer);
  await page.addInitScript(
    `localStorage.setItem('nexus.reader', ${JSON.stringify(JSON.stringify({ tint }))})`,
  );
  await page.goto(`${nexus.url}/app/read/${ids[name]}`);
  await page.locator('.prose p').first().waitFor();
  await page.evaluate('document.fonts.ready.then(() => undefined)');
}

/** Scrolls an element to a distance from the top of the window. */
const show = (page: Page, selector: string, top = 90) =>
  page.evaluate(
    `window.scrollBy(0, document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect().top - ${top})`,
  );

async function keep(page: Page, name: string): Promise<void> {
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  await page.screenshot({ path: path.join(OUT, `${name}.jpg`), type: 'jpeg', quality: 72 });
}

test('formulas', async () => {
  const page = await chromium.open({ ...desktop, colorScheme: 'light' });
  await open(page, 'tides');
  await page.evaluate('document.fonts.load(\'16px "STIX Two Math"\').then(() => undefined)');
  await show(page, '.prose math[display="block"]', 210);
  await keep(page, 'reading-formulas');
});

test('a table, on a phone', async () => {
  const page = await chromium.open({ ...phone, colorScheme: 'light' });
  await open(page, 'tides', 'sepia');
  await show(page, '.prose h2');
  await keep(page, 'reading-table-phone');
});

test('code', async () => {
  const page = await chromium.open({ ...desktop, colorScheme: 'dark' });
  await open(page, 'tides', 'night');
  await show(page, '.prose pre', 150);
  await expect.poll(() => page.evaluate(`CSS.highlights.get('code-keyword').size`)).toBeGreaterThan(3);
  await page.locator('.prose pre').hover();
  await keep(page, 'reading-code-night');
});

test('a footnote', async () => {
  const page = await chromium.open({ ...desktop, colorScheme: 'light' });
  await open(page, 'tides');
  await page.locator('a[data-note]').first().hover();
  await page.getByRole('complementary', { name: 'Footnote' }).waitFor();
  await keep(page, 'reading-footnote');
});

test('right to left', async () => {
  const page = await chromium.open({ viewport: { width: 1100, height: 1000 }, colorScheme: 'light' });
  await open(page, 'arabic');
  await page.evaluate('window.scrollBy(0, 60)');
  await page.locator('a[data-note]').first().hover();
  await page.getByRole('complementary', { name: 'Footnote' }).waitFor();
  await keep(page, 'reading-right-to-left');
});

/** Written for this picture. It needs a font with Japanese characters on the machine that takes it. */
const HARBOUR_JA = makeEpub({
  title: '港の時計',
  language: 'ja',
  chapters: [
    {
      file: 'text/1.xhtml',
      title: '一',
      head: '<style>html { writing-mode: vertical-rl } .tcy { text-combine-upright: all }</style>',
      body: `<h1>港の時計</h1>${[
        '<p>港の時計は、いつも<ruby>潮<rt>しお</rt></ruby>より少し遅れていた。だれもそれを直そうとは思わなかった。</p>',
        '<p>冬の朝、<span class="tcy">12</span>時の鐘が鳴ると、船は静かに岸を離れた。灯台の光が水の上に長く伸びていた。</p>',
        '<p>「時間は水のようなものだ」と年老いた番人は言った。「急がせることはできない。」</p>',
      ]
        .join('')
        .repeat(4)}`,
    },
  ],
});

test('vertical text', async () => {
  const page = await chromium.open({ ...desktop, colorScheme: 'light' });
  const id = await nexus.uploadBook(DEV_KEYS.viewer, HARBOUR_JA);
  await signIn(page, nexus, DEV_KEYS.viewer);
  await page.goto(`${nexus.url}/app/read/${id}`);
  await page.locator('.vertical-text p').first().waitFor();
  const contents = page.getByRole('navigation', { name: 'Contents' });
  if (await contents.isVisible()) await page.keyboard.press('c');
  await keep(page, 'reading-vertical');
});
