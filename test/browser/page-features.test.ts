import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { DEV_KEYS } from '../support/call.ts';
import { makeEpub } from '../support/fixtures/epub.ts';
import { makePage, SENTENCES } from '../support/fixtures/pages.ts';
import { useChromium } from './chromium.ts';
import { inBothLooks, inBothLooksOf } from './looks.ts';
import { useNexus } from './nexus.ts';
import { expectAccessible, expectToFit, signIn } from './person.ts';

const longFormula = (display: string) =>
  `<math display="${display}">${'<mi>x</mi><mo>+</mo><mfrac><mn>1</mn><mn>2</mn></mfrac><mo>+</mo>'.repeat(30)}<mi>y</mi></math>`;
const WORDS = ['Departure', 'Destination', 'Lighthouse', 'Observation', 'Temperature', 'Precipitation'];
const row = (tag: string) => `<tr>${WORDS.map((word) => `<${tag}>${word}</${tag}>`).join('')}</tr>`;

const ARTICLE = `
<p id="start">The area is <math><mi>π</mi><msup><mi>r</mi><mn>2</mn></msup></math>, and the bell is old.<sup><a href="#note">1</a></sup></p>
<p>By TeX: <script type="math/tex">\\frac{a}{b}</script>.</p>
${longFormula('block')}
<p>Within a sentence: ${longFormula('inline')}.</p>
<table><thead>${row('th')}</thead><tbody>${row('td').repeat(4)}</tbody></table>
<pre><code class="language-js">${'ring(); '.repeat(40)}</code></pre>
<figure><svg viewBox="0 0 200 100" width="200"><title>The tide</title><path d="M0 50q50-80 100 0t100 0" stroke="currentColor" fill="none"/></svg><figcaption>The tide of one day.</figcaption></figure>
<blockquote>A quotation, with a bar at its side, long enough to be a part of the article.</blockquote>
<p>A last paragraph before the notes, with enough words in it to be kept as a part of the article.</p>
<section role="doc-endnotes"><ol><li id="note">Older than the tower, by the account of the keeper, who had it from the ledger.</li></ol></section>`;

const nexus = useNexus((request, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  const language = request.url === '/arabic' ? 'ar' : 'en';
  response.end(makePage({ title: 'A page with everything', language, paragraphs: 6, article: ARTICLE }));
});
const chromium = useChromium();
let everything = '';
let arabic = '';
beforeAll(async () => {
  const save = async (path: string) =>
    (
      await nexus.call('POST', '/api/v1/media', {
        key: DEV_KEYS.researcher,
        body: { url: nexus.site.url + path },
      })
    ).body.data.media_id;
  everything = await save('/everything');
  arabic = await save('/arabic');
});

async function open(page: Page, id: string): Promise<void> {
  await signIn(page, nexus, DEV_KEYS.researcher);
  await page.goto(`${nexus.url}/app/read/${id}`);
  await page.locator('.prose math').first().waitFor();
}

/** Returns a property of the first element. */
const propertyOf = (page: Page, selector: string, property: string) =>
  page.evaluate(`document.querySelector(${JSON.stringify(selector)}).${property}`) as Promise<number>;

const boxOf = async (page: Page, selector: string) =>
  (await page.locator(selector).first().boundingBox()) ?? expect.fail(`${selector} is not shown`);

test('formulas, tables, code, notes and drawings are shown, on a light desktop and a dark phone', () =>
  inBothLooks(chromium, async (page, look) => {
    await open(page, everything);

    const formula = await boxOf(page, '.prose math');
    expect(Math.min(formula.width, formula.height)).toBeGreaterThan(5);
    // The exponent is above its base: the browser lays the formula out.
    const [base, exponent] = [await boxOf(page, 'msup > mi'), await boxOf(page, 'msup > mn')];
    expect(exponent.y).toBeLessThan(base.y);
    const fraction = await boxOf(page, '.prose p mfrac');
    expect(fraction.height).toBeGreaterThan(fraction.width);
    expect(await page.locator('.prose math').nth(1).getAttribute('alttext')).toBe('a/b');

    // Every word of the table is in one line.
    const heights = (await page.evaluate(
      `[...document.querySelectorAll('.table-box th, .table-box td')].map((cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return range.getClientRects().length;
      })`,
    )) as number[];
    expect(new Set(heights)).toEqual(new Set([1]));

    const drawing = page.locator('.prose img[src$=".svg"]');
    expect(await drawing.getAttribute('alt')).toBe('The tide');
    await expect.poll(() => propertyOf(page, '.prose img[src$=".svg"]', 'naturalWidth')).toBe(200);

    await expectToFit(page, look);
    await expectAccessible(page, look);
  }));

test('a wide table, formula or code scrolls on its own, also with the keyboard', async () => {
  const page = await chromium.open({ viewport: { width: 390, height: 844 } });
  await open(page, everything);
  for (const selector of ['.table-box', '.prose math[display="block"]', '.prose pre']) {
    await page.locator(selector).first().focus();
    await page.keyboard.press('ArrowRight');
    await expect
      .poll(() => propertyOf(page, selector, 'scrollLeft'), { message: selector })
      .toBeGreaterThan(0);
  }
});

test('a link within the page stays in the page', async () => {
  const page = await chromium.open({ viewport: { width: 1280, height: 500 } });
  await open(page, everything);
  const link = page.locator('.prose a[data-note]');
  expect(await link.getAttribute('href')).toBe('#n-note');
  await link.focus();
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await boxOf(page, '#n-note')).y).toBeLessThan(500);
  expect(new URL(page.url()).pathname).toBe(`/app/read/${everything}`);
});

test('a drawing runs nothing when its address is opened', async () => {
  const page = await chromium.open();
  await open(page, everything);
  const src = (await page.locator('.prose img[src$=".svg"]').getAttribute('src')) ?? '';
  const answer = await page.request.get(new URL(src, nexus.url).href);
  expect(answer.headers()).toMatchObject({
    'content-type': 'image/svg+xml',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'x-content-type-options': 'nosniff',
  });
});

test('right-to-left text is mirrored: quotations, lists, tables, notes and progress; code and formulas are not', async () => {
  const page = await chromium.open();
  await open(page, arabic);
  const style = (selector: string, property: string) =>
    page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).${property}`);
  expect(await style('.prose blockquote', 'borderRightWidth')).toBe('3px');
  expect(await style('.prose blockquote', 'borderLeftWidth')).toBe('0px');
  expect(await style('.prose blockquote', 'fontStyle')).toBe('normal');
  expect(await style('.prose pre', 'direction')).toBe('ltr');
  expect(await style('.prose math', 'direction')).toBe('ltr');
  expect(await style('.prose ol', 'paddingLeft')).toBe('0px');
  expect(Number.parseFloat((await style('.prose ol', 'paddingRight')) as string)).toBeGreaterThan(10);
  const [first, second] = [await boxOf(page, '.prose th'), await boxOf(page, '.prose th + th')];
  expect(first.x).toBeGreaterThan(second.x);

  const link = page.locator('.prose a[data-note]');
  await link.focus();
  const note = page.getByRole('complementary', { name: 'Footnote' });
  await note.waitFor();
  const edge = (box: { x: number; width: number }) => box.x + box.width;
  const [noteBox, linkBox] = [await boxOf(page, '.note-preview'), await boxOf(page, '.prose a[data-note]')];
  expect(Math.abs(edge(noteBox) - edge(linkBox))).toBeLessThan(2);

  await page.evaluate('window.scrollTo(0, 300)');
  await expect.poll(async () => (await boxOf(page, '.reader-progress-fill')).width).toBeGreaterThan(20);
  const [bar, fill] = [await boxOf(page, '.reader-progress'), await boxOf(page, '.reader-progress-fill')];
  expect(Math.round(edge(fill))).toBe(Math.round(edge(bar)));
  expect(fill.x).toBeGreaterThan(bar.x + 20);
});

test('in a right-to-left book, the left arrow turns to the next chapter; code with the focus scrolls', async () => {
  const chapters = ['בבוקר', 'בצהריים', 'בערב'].map((title, index) => ({
    file: `${index}.xhtml`,
    title,
    body: `<h1>${title}</h1><p>${SENTENCES.he}</p><pre>${'let lamp = 1; '.repeat(60)}</pre>`,
  }));
  const book = makeEpub({ title: 'שלושה ספרים', language: 'he', chapters });
  const id = await nexus.uploadBook(DEV_KEYS.researcher, book);
  const page = await chromium.open();
  await signIn(page, nexus, DEV_KEYS.researcher);
  await page.goto(`${nexus.url}/app/read/${id}`);
  const heading = (index: number) =>
    page.locator('.prose').getByRole('heading', { name: chapters[index]?.title ?? '', exact: true });
  await heading(0).waitFor();
  await page.getByText('1 of 3').waitFor();
  await page.keyboard.press('ArrowLeft');
  await heading(1).waitFor();
  await page.locator('.prose pre').focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => propertyOf(page, '.prose pre', 'scrollLeft')).toBeGreaterThan(0);
  await heading(1).waitFor();
  const [previous, next] = [
    page.getByRole('button', { name: 'Previous' }),
    page.getByRole('button', { name: 'Next' }),
  ];
  expect((await next.boundingBox())?.x).toBeLessThan((await previous.boundingBox())?.x ?? 0);
  const entry = page.getByRole('navigation', { name: 'Contents' }).getByRole('button').first();
  expect(await entry.evaluate((element) => element.matches(':dir(rtl)'))).toBe(true);
  await expectAccessible(page);
});

test('the reader is accessible with every panel open, on every paper', async () => {
  const page = await chromium.open();
  await open(page, everything);
  const check = (name: string) =>
    inBothLooksOf(page, async (look) => {
      await expectAccessible(page, `${name}, ${look}`);
      await expectToFit(page, `${name}, ${look}`);
    });
  const roomy = () => page.setViewportSize({ width: 1280, height: 800 });

  await page.locator('.prose a[data-note]').focus();
  await page.getByRole('complementary', { name: 'Footnote' }).waitFor();
  await expectAccessible(page, 'a footnote');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Actions for' }).click();
  await check('the menu');
  await page.keyboard.press('Escape');
  await roomy();
  await page.keyboard.press('a');
  await page.getByRole('tab', { name: 'Related' }).click();
  await check('related items');
  await page.getByRole('tab', { name: 'Analysis' }).click();
  await roomy();
  await page.getByRole('button', { name: 'Find in document' }).click();
  await page.keyboard.type('bell');
  await page.getByText(/^1 of \d/).waitFor();
  for (const paper of ['Auto', 'Paper', 'Sepia', 'Night']) {
    await roomy();
    await page.getByRole('button', { name: 'Text and colours' }).click();
    await page.getByRole('button', { name: paper, exact: true }).click();
    await check(`text and colours, the analysis and the find bar, on ${paper}`);
    await page.keyboard.press('Escape');
  }
});

test('a superscript does not push the lines apart', async () => {
  const page = await chromium.open();
  await open(page, everything);
  const heights = await page.evaluate(`(() => {
    const paragraph = document.createElement('p');
    document.querySelector('.prose-part').append(paragraph);
    const heightOf = (html) => { paragraph.innerHTML = html; return paragraph.getBoundingClientRect().height; };
    return [heightOf('one<br>two<br>three'), heightOf('one<br>two<sup>2</sup><sub>3</sub><br>three')];
  })()`);
  const [plain, raised] = heights as [number, number];
  expect(raised).toBe(plain);
});
