import type { Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import { makeEpub, xhtml } from '../support/fixtures/epub.ts';
import { useChromium } from './chromium.ts';
import { useNexus } from './nexus.ts';
import { expectAccessible, expectToFit, signIn } from './person.ts';

const nexus = useNexus((_request, response) => void response.writeHead(404).end());
const chromium = useChromium();
const SOON = { timeout: 20_000 };
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const LOOKS = [
  ['desktop', {}],
  ['phone', PHONE],
] as const;

const paragraphs = (text: string, count: number) => `<p>${text}</p>`.repeat(count);
const printed = (number: string) =>
  `<span epub:type="pagebreak" id="p${number}" title="${number}">${number}</span>`;

/** Three chapters with printed pages; the text begins in the second. The third has three sections. */
const PRINTED = makeEpub({
  title: 'A printed book',
  chapters: [
    { file: 'cover.xhtml', title: 'Title page', body: `<p>By nobody.${printed('iv')}</p>` },
    {
      file: 'one.xhtml',
      title: 'One',
      body: `<h1>One</h1>${paragraphs('It began quietly.', 30)}<p>${printed('2')}The second page.</p>${paragraphs('It went on.', 40)}`,
    },
    {
      file: 'two.xhtml',
      title: 'Two',
      body: ['a', 'b', 'c']
        .map((id) => `<h2 id="${id}">Section ${id}</h2>${paragraphs('There is more.', 30)}`)
        .join(printed('7')),
    },
  ],
  files: [
    {
      name: 'OEBPS/nav.xhtml',
      content: xhtml(
        'Contents',
        `<nav epub:type="toc"><ol><li><a href="cover.xhtml">Title page</a></li><li><a href="one.xhtml">One</a></li>
<li><a href="two.xhtml#a">Section a</a></li><li><a href="two.xhtml#b">Section b</a></li><li><a href="two.xhtml#c">Section c</a></li></ol></nav>
<nav epub:type="landmarks"><ol><li><a epub:type="cover" href="cover.xhtml">Cover</a></li>
<li><a epub:type="bodymatter" href="one.xhtml">Text</a></li></ol></nav>`,
      ),
    },
  ],
});

const PAGE_STYLE = `body { margin: 0; background: #fdf6d8 }
.text { position: absolute; left: 100px; top: 1400px; width: 1000px; font-size: 60px; color: rgb(0, 0, 120) }
.stray { position: fixed; left: -4000px; top: -4000px; width: 9000px; height: 9000px; z-index: 99999; background: rgba(200, 0, 0, 0.1) }
#corner { position: absolute; right: 0; bottom: 0; width: 10vw; height: 10vw; background: green }`;
const pictureOf = (number: number, more = '') => ({
  file: `page${number}.xhtml`,
  title: `Page ${number}`,
  head: `<meta name="viewport" content="width=1200, height=1600"/><style>${PAGE_STYLE}</style>`,
  body: `<svg width="1200" height="1300" viewBox="0 0 1200 1300"><circle cx="600" cy="600" r="${100 * number}" fill="#c66"/></svg>
<div class="text" style="letter-spacing: 2px">Here is picture ${number}, says the fox. ${more}</div>${number === 2 ? '<div class="stray"></div>' : ''}<div id="corner"></div>`,
});
const PICTURES = makeEpub({
  title: 'A picture book',
  metadata: '<meta property="rendition:layout">pre-paginated</meta>',
  chapters: [
    pictureOf(1, '<a href="page3.xhtml">To the end</a>'),
    pictureOf(2),
    pictureOf(3, 'A hidden lantern.'),
  ],
});

const SENTENCE =
  '<p>港の<ruby>時計<rt>とけい</rt></ruby>は、いつも潮より少し遅れていた。だれもそれを直そうとは思わなかった。</p>';
const VERTICAL = makeEpub({
  title: '縦書きの本',
  language: 'ja',
  spine: 'page-progression-direction="rtl"',
  chapters: [1, 2, 3].map((number) => ({
    file: `${number}.xhtml`,
    title: `第${number}章`,
    head: '<style>html { writing-mode: vertical-rl } .tcy { text-combine-upright: all }</style>',
    body: `<h1>第${number}章</h1>${SENTENCE.repeat(40)}<p id="year${number}">西暦<span class="tcy">1905</span>年の提灯。</p>${SENTENCE.repeat(40)}`,
  })),
});

async function open(key: string, book: Buffer, options: object = {}) {
  const id = await nexus.uploadBook(key, book);
  const page = await chromium.open(options);
  await signIn(page, nexus, key);
  await page.goto(`${nexus.url}/app/read/${id}`);
  return { id, page };
}

async function storedPosition(key: string, id: string) {
  const { body } = await nexus.call('GET', `/api/v1/media/${id}`, { key });
  return body.data.reading?.position;
}
const untilStored = (key: string, id: string, position: object) =>
  vi.waitFor(async () => expect(await storedPosition(key, id)).toMatchObject(position), 20_000);

const contents = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Contents' }).getByRole('button', { name, exact: true });
const heading = (page: Page, name: string) =>
  page.locator('.prose').getByRole('heading', { name, exact: true });
/** The match that is marked as the current one, if it is on the screen. */
const currentMatch = (page: Page) =>
  page.evaluate<string | undefined>(`(() => {
    const [range] = CSS.highlights.get('nexus-finding-here') ?? [];
    const box = range?.getBoundingClientRect();
    const isShown = box && box.top > 0 && box.bottom < innerHeight && box.left >= 0 && box.right <= innerWidth;
    return isShown ? range.toString() : undefined;
  })()`);

test.each(LOOKS)(
  'a book opens at its text, shows printed page numbers, and goes to a page: %s',
  async (look, options) => {
    const { key } = await nexus.person(`printed-${look}`);
    const { id, page } = await open(key, PRINTED, options);
    await heading(page, 'One').waitFor();
    await untilStored(key, id, { fragment: 1 });
    const number = page.locator('.printed-page button');
    await expect.poll(() => number.innerText(), SOON).toBe('p. iv');
    await page.locator('#n-p2').evaluate((element: { scrollIntoView(): void }) => element.scrollIntoView());
    await expect.poll(() => number.innerText(), SOON).toBe('p. 2');
    await expectAccessible(page, look);
    await expectToFit(page, look);

    await page.keyboard.press('p');
    const field = page.getByLabel('Go to page').getByRole('textbox');
    await field.fill('99');
    await field.press('Enter');
    await page.getByText('This book has no page 99. Pages iv to 7 of the printed edition.').waitFor();
    await expectAccessible(page, look);
    await field.fill('7');
    await field.press('Enter');
    await heading(page, 'Section a').waitFor();
    await expect.poll(() => number.innerText(), SOON).toBe('p. 7');
    await page.goBack();
    await heading(page, 'One').waitFor();

    if (look === 'phone') await page.getByRole('button', { name: 'Contents' }).click();
    await contents(page, 'Cover').click();
    await page.locator('.prose').getByText('By nobody.').waitFor();
    if (look === 'phone') await page.getByRole('button', { name: 'Contents' }).click();
    await contents(page, 'Start reading').click();
    await heading(page, 'One').waitFor();
    await page.reload();
    await heading(page, 'One').waitFor();
  },
);

test('the contents lead to a section of a chapter, and mark the one that is read', async () => {
  const { key } = await nexus.person('sections');
  const { page } = await open(key, PRINTED);
  await contents(page, 'Section b').click();
  const topOf = (name: string) =>
    heading(page, name).evaluate(
      (element: { getBoundingClientRect(): { top: number } }) => element.getBoundingClientRect().top,
    );
  await expect.poll(() => topOf('Section b'), SOON).toBeLessThan(120);
  await expect.poll(() => contents(page, 'Section b').getAttribute('aria-current'), SOON).toBe('true');
  await heading(page, 'Section c').evaluate((element: { scrollIntoView(): void }) =>
    element.scrollIntoView(),
  );
  await expect.poll(() => contents(page, 'Section c').getAttribute('aria-current'), SOON).toBe('true');
});

test('a book that is opened again, or by a link, does not begin at its text', async () => {
  const { key } = await nexus.person('again');
  const id = await nexus.uploadBook(key, PRINTED);
  const page = await chromium.open();
  await signIn(page, nexus, key);
  await page.goto(`${nexus.url}/app/read/${id}?at=2`);
  await heading(page, 'Section a').waitFor();
  await untilStored(key, id, { fragment: 1 });
  const body = { progress: 0.1, position: { fragment: 0 } };
  expect((await nexus.call('PUT', `/api/v1/media/${id}/reading`, { key, body })).status).toBe(200);
  await page.goto(`${nexus.url}/app/read/${id}`);
  await page.locator('.prose').getByText('By nobody.').waitFor();
});

/** The rectangle of an element of the page, and that of the frame. */
const boxOf = (page: Page, selector: string) =>
  page.evaluate<{ left: number; top: number; width: number; height: number; right: number; bottom: number }>(
    `document.querySelector('.fixed-page').shadowRoot.querySelector('${selector}').getBoundingClientRect().toJSON()`,
  );
const frameOf = (page: Page) =>
  page.evaluate<{ left: number; top: number; width: number; height: number; right: number; bottom: number }>(
    `document.querySelector('.fixed-page').getBoundingClientRect().toJSON()`,
  );

test.each(LOOKS)(
  'a fixed-layout book is shown as its pages, scaled to the window: %s',
  async (look, options) => {
    const { key } = await nexus.person(`pictures-${look}`);
    const { id, page } = await open(key, PICTURES, options);
    const text = (number: number) => page.locator('.fixed-page').getByText(`Here is picture ${number}`);
    await text(1).waitFor();
    await expectToFit(page, look);
    const frame = await frameOf(page);
    const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
    expect(frame.width / frame.height).toBeCloseTo(0.75, 2);
    expect(frame.top).toBeGreaterThanOrEqual(0);
    expect(frame.bottom).toBeLessThan(height);
    expect(frame.right).toBeLessThanOrEqual(width);
    const scale = frame.width / 1200;
    const line = await boxOf(page, '.b-text');
    expect((line.left - frame.left) / scale).toBeCloseTo(100, 0);
    expect((line.top - frame.top) / scale).toBeCloseTo(1400, 0);
    const corner = await boxOf(page, '#n-corner');
    expect(corner.width / scale).toBeCloseTo(120, 0);
    expect(corner.right).toBeCloseTo(frame.right, 0);
    const styled = `document.querySelector('.fixed-page').shadowRoot.querySelector('.b-text')`;
    expect(await page.evaluate(`getComputedStyle(${styled}).color`)).toBe('rgb(0, 0, 120)');
    await expectAccessible(page, look);

    await page.keyboard.press('ArrowRight');
    await text(2).waitFor();
    // Content that the page places beyond its edges neither shows nor takes clicks there.
    expect(
      await page.evaluate(`document.elementFromPoint(${width / 2}, 20).closest('.reader-bar') !== null`),
    ).toBe(true);
    await untilStored(key, id, { fragment: 1 });
    await page.getByRole('button', { name: 'Next' }).click();
    await text(3).waitFor();
    await expect
      .poll(
        () => page.getByRole('progressbar', { name: 'Reading progress' }).getAttribute('aria-valuenow'),
        SOON,
      )
      .toBe('100');
    await page.keyboard.press('PageUp');
    await text(2).waitFor();
    await swipe(page, 1);
    await text(3).waitFor();
    await swipe(page, -1);
    await text(2).waitFor();
    await page.keyboard.press('ArrowLeft');
    await page.locator('.fixed-page').getByRole('link', { name: 'To the end' }).click();
    await text(3).waitFor();
  },
);

/** Swipes to the left (1) or to the right (-1). */
const swipe = (page: Page, direction: 1 | -1) =>
  page.evaluate(`(() => {
    const target = document.querySelector('.fixed-page-frame');
    const at = (x) => new Touch({ identifier: 1, target, clientX: x, clientY: 300 });
    const send = (type, touches, x) =>
      target.dispatchEvent(new TouchEvent(type, { bubbles: true, touches, changedTouches: [at(x)] }));
    send('touchstart', [at(200)], 200);
    send('touchend', [], ${200 - 100 * direction});
  })()`);

test('the text of a fixed page is found, and its words are marked', async () => {
  const { key } = await nexus.person('finder');
  const { id, page } = await open(key, PICTURES);
  await page.locator('.fixed-page').getByText('Here is picture 1').waitFor();
  await page.keyboard.press('Control+f');
  await page.getByRole('searchbox', { name: 'Find in document' }).fill('hidden lantern');
  await expect.poll(() => currentMatch(page), SOON).toBe('hidden lantern');
  await page.goto(`${nexus.url}/app/read/${id}?at=1&q=fox`);
  await expect.poll(() => currentMatch(page), SOON).toBe('fox');
  await page.locator('.fixed-page').getByText('Here is picture 2').waitFor();
});

/** The distance of an element from the right edge of the text. */
const fromRight = (page: Page, selector: string) =>
  page.evaluate<number>(`(() => {
    const box = document.querySelector('.vertical-text').getBoundingClientRect();
    return box.right - (document.querySelector('${selector}')?.getBoundingClientRect().right ?? -9999);
  })()`);

test.each(LOOKS)(
  'vertical text is read from right to left, and the place in it is kept: %s',
  async (look, options) => {
    const { key } = await nexus.person(`vertical-${look}`);
    const { id, page } = await open(key, VERTICAL, options);
    await heading(page, '第1章').waitFor();
    await expectToFit(page, look);
    await expectAccessible(page, look);
    const box = page.locator('.vertical-text');
    const [first, last] = [
      await page.locator('.prose h1').boundingBox(),
      await page.locator('.prose p').last().boundingBox(),
    ];
    expect(first?.x ?? 0).toBeGreaterThan((last?.x ?? 0) + 1000);
    // The digits stand in one place of the line.
    const digits = await page.locator('.prose [data-upright]').boundingBox();
    expect(digits?.height).toBeLessThan(24);

    await page
      .locator('#n-year1, .prose p')
      .nth(20)
      .evaluate((element: { scrollIntoView(where: object): void }) =>
        element.scrollIntoView({ block: 'start', inline: 'start' }),
      );
    await untilStored(key, id, { fragment: 0, block: 21 });
    await page.reload();
    await heading(page, '第1章').waitFor();
    await expect
      .poll(async () => Math.abs((await fromRight(page, '.prose p:nth-of-type(21)')) - 8), SOON)
      .toBeLessThan(40);
    const progress = page.getByRole('progressbar', { name: 'Reading progress' });
    expect(await progress.getAttribute('dir')).toBe('rtl');

    const offset = () => box.evaluate((element: { scrollLeft: number }) => -element.scrollLeft);
    const before = await offset();
    if (look === 'desktop') {
      await box.hover();
      await page.mouse.wheel(0, 300);
    } else await page.keyboard.press('j');
    await expect.poll(offset, SOON).toBeGreaterThan(before + 100);

    await page.keyboard.press('ArrowLeft');
    await heading(page, '第2章').waitFor();
    await expect.poll(offset, SOON).toBeLessThan(1);
    await page.keyboard.press('ArrowRight');
    await heading(page, '第1章').waitFor();
    await page.goto(`${nexus.url}/app/read/${id}?at=2&q=提灯`);
    await expect.poll(() => currentMatch(page), SOON).toBe('提灯');
    await heading(page, '第3章').waitFor();
  },
);
