import type { Page } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';
import { makeEpub } from '../support/fixtures/epub.ts';
import { makePdf } from '../support/fixtures/pdf.ts';
import { gate } from '../support/jobs.ts';
import { useChromium } from './chromium.ts';
import { copiedBy } from './clipboard.ts';
import { inBothLooksOf } from './looks.ts';
import { useNexus } from './nexus.ts';
import { expectAccessible, expectToFit, signIn } from './person.ts';

const FORMULA =
  '<math alttext="a^2+b^2"><msup><mi>a</mi><mn>2</mn></msup><mo>+</mo><msup><mi>b</mi><mn>2</mn></msup></math>';
const PARAGRAPH =
  'Nobody had seen ice on the harbour before, and the boats stayed where they were until the spring came.';
const ARTICLE = `<!doctype html><html lang="en"><title>Ice</title><article><h1>Ice</h1>
<p>The harbour <b>froze</b> in January. ${PARAGRAPH}</p>
<p>It held ${FORMULA} tons, they said. ${PARAGRAPH}</p>
<ul><li>First they walked.</li><li>Then they skated. ${PARAGRAPH}</li></ul>
<table><tr><td>January</td><td>cold</td></tr><tr><td>March</td><td>mild</td></tr></table>
<p dir="rtl">الميناء كان باردا في الشتاء.</p>
${`<p>${PARAGRAPH}</p>`.repeat(20)}
<p>At the very end stands the lighthouse.</p></article></html>`;
const REPORT = makePdf({
  title: 'A report',
  pages: [['The first page tells of a road.'], ['The second page tells of bridges.']],
});
const BOOK = makeEpub({
  title: 'Two chapters',
  chapters: [1, 2].map((number) => ({
    file: `text/${number}.xhtml`,
    title: `Chapter ${number}`,
    body: `<h1>Chapter ${number}</h1>${`<p>${PARAGRAPH}</p>`.repeat(12)}<p>The end of chapter ${number} is here.</p>`,
  })),
});

const nexus = useNexus((request, response) => {
  if (request.url?.startsWith('/report.pdf')) {
    response.setHeader('content-type', 'application/pdf');
    return void response.end(REPORT);
  }
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(ARTICLE);
});
const chromium = useChromium();
const SOON = { timeout: 20_000 };

let ana: { key: string; username: string };
let ben: { key: string; username: string };
let articleId: string;
let reportId: string;
let libraryId: string;

async function save(key: string, path: string): Promise<string> {
  const { body } = await nexus.call('POST', '/api/v1/media', {
    key,
    body: { url: `${nexus.site.url}${path}` },
  });
  const { media_id } = body.data;
  await vi.waitFor(async () => {
    const media = await nexus.call('GET', `/api/v1/media/${media_id}`, { key });
    expect(media.body.data.capabilities.can_search).toBe(true);
  }, 30_000);
  return media_id;
}

beforeAll(async () => {
  ana = await nexus.person('ana');
  ben = await nexus.person('ben');
  await nexus.call('PATCH', '/api/v1/me', { key: ana.key, body: { display_name: 'Ana Sousa' } });
  articleId = await save(ana.key, '/ice');
  reportId = await save(ana.key, '/report.pdf');
  const library = await nexus.call('POST', '/api/v1/libraries', { key: ana.key, body: { name: 'Winter' } });
  libraryId = library.body.data.id;
  const path = `/api/v1/libraries/${libraryId}`;
  await nexus.call('POST', `${path}/media`, { key: ana.key, body: { media_id: articleId } });
  const invitation = { invitee_username: ben.username, role: 'member' };
  const invited = await nexus.call('POST', `${path}/invites`, { key: ana.key, body: invitation });
  await nexus.call('POST', `/api/v1/libraries/invites/${invited.body.data.id}/accept`, { key: ben.key });
});

async function read(page: Page, mediaId: string, search = ''): Promise<void> {
  await page.goto(`${nexus.url}/app/read/${mediaId}${search}`);
  await page.locator('.prose-part, .pdf-text > span').first().waitFor();
}

/** Selects from the first occurrence of a text to the end of another one, as a person does with a mouse. */
async function select(page: Page, from: string, to = from): Promise<void> {
  await page.evaluate(`(() => {
    const find = (words, isEnd) => {
      const walker = document.createTreeWalker(document.querySelector('.prose, .pdf-pages'), NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const index = node.data.indexOf(words);
        if (index >= 0) return { node, offset: index + (isEnd ? words.length : 0) };
      }
      throw new Error('The page has no ' + words);
    };
    const [start, end] = [find(${JSON.stringify(from)}, false), find(${JSON.stringify(to)}, true)];
    const range = document.createRange();
    range.setStart(start.node, start.offset);
    range.setEnd(end.node, end.offset);
    start.node.parentElement.scrollIntoView({ block: 'center' });
    getSelection().removeAllRanges();
    getSelection().addRange(range);
  })()`);
}

/** Holds requests back until the returned function is called. */
async function holdBack(page: Page, url: RegExp): Promise<() => void> {
  const released = gate();
  await page.route(url, async (route) => {
    await released.opened;
    await route.continue();
  });
  return released.open;
}

/** Highlights a passage on the second page of the report, and returns the address of a link to it. */
async function linkIntoReport(exact: string): Promise<string> {
  const target = { fragment_idx: 1, selector: [{ type: 'TextQuoteSelector', exact }] };
  const { body } = await nexus.call('POST', `/api/v1/media/${reportId}/highlights`, {
    key: ana.key,
    body: { target },
  });
  return `${nexus.url}/app/read/${reportId}?at=1&highlight=${body.data.id}`;
}

/** Whether the opened highlight is on the screen. */
const IS_CURRENT_VISIBLE = `(() => {
  const [range] = CSS.highlights.get('nexus-highlight-current') ?? [];
  const { top, bottom } = range?.getBoundingClientRect() ?? { top: -1, bottom: -1 };
  return top > 0 && bottom < innerHeight;
})()`;

const bar = (page: Page) => page.getByRole('toolbar', { name: 'Selected text' });
const panel = (page: Page) => page.getByRole('complementary', { name: 'About this document' });
const selected = (page: Page) => page.evaluate<string>('String(getSelection())');
/** The texts that are painted in a colour. */
const painted = (page: Page, color: string) =>
  page.evaluate<string[]>(`[...(CSS.highlights.get('nexus-highlight-${color}') ?? [])].map(String)`);
const quotesOf = async (key: string, mediaId: string): Promise<string[]> => {
  const { body } = await nexus.call('GET', `/api/v1/media/${mediaId}/highlights`, { key });
  return body.data.map((one: { target: { selector: { exact: string }[] } }) => one.target.selector[1]?.exact);
};

test('a passage is marked without losing the selection, across elements, and survives a reload', async () => {
  const page = await chromium.open();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await signIn(page, nexus, ana.key);
  await read(page, articleId);

  await select(page, 'harbour ', ' in January');
  await bar(page).getByRole('button', { name: 'Highlight in green' }).click();
  await expect.poll(() => painted(page, 'green'), SOON).toEqual(['harbour froze in January']);
  expect(await selected(page)).toBe('harbour froze in January');
  // The same passage again is no second highlight.
  await bar(page).getByRole('button', { name: 'Highlight in green' }).click();
  const copied = await copiedBy(page, () =>
    bar(page).getByRole('button', { name: 'Copy', exact: true }).click(),
  );
  expect(copied).toBe('harbour froze in January');

  for (const [from, to] of [
    ['It held', 'they said'],
    ['First they', 'they skated'],
    ['cold', 'mild'],
    ['الميناء', 'باردا'],
  ] as const) {
    await select(page, from, to);
    await bar(page).waitFor();
    await page.keyboard.press('h');
    await page.keyboard.press('h');
    await expect.poll(() => selected(page)).not.toBe('');
  }
  await expect.poll(() => painted(page, 'green'), SOON).toHaveLength(5);
  const quotes = await quotesOf(ana.key, articleId);
  expect(quotes).toHaveLength(5);
  expect(quotes).toEqual(
    expect.arrayContaining([
      'harbour froze in January',
      'It held a^2 + b^2 tons, they said',
      'الميناء كان باردا',
    ]),
  );

  await page.reload();
  await expect.poll(() => painted(page, 'green'), SOON).toHaveLength(5);
});

test('a note is written, shared, answered and taken back, and the other person sees each step', async () => {
  const [mine, theirs] = [await chromium.open(), await chromium.open()];
  await signIn(mine, nexus, ana.key);
  await signIn(theirs, nexus, ben.key);
  await read(mine, articleId);
  await read(theirs, articleId);

  await select(mine, 'the very end');
  await bar(mine).waitFor();
  await mine.keyboard.press('m');
  await panel(mine).getByLabel('Note', { exact: true }).fill('Look **here**');
  await mine.keyboard.press('Control+Enter');
  await panel(mine).locator('strong', { hasText: 'here' }).waitFor();

  await panel(mine).getByRole('button', { name: 'Only you' }).click();
  await panel(mine).getByLabel('Winter').check();
  await panel(mine).getByText('Seen by Ben').waitFor();
  await panel(mine).getByRole('button', { name: 'Share', exact: true }).click();
  await panel(mine).getByRole('button', { name: 'Shared', exact: true }).waitFor();
  await inBothLooksOf(mine, async (look) => {
    await expectAccessible(mine, look);
    await expectToFit(mine, look);
  });

  await expect.poll(() => painted(theirs, 'shared'), SOON).toEqual(['the very end']);
  await theirs.goto(`${nexus.url}/app/highlights?by=others`);
  await theirs.locator('.highlight-card').getByText('New', { exact: true }).waitFor();
  await expectAccessible(theirs);
  await theirs.getByRole('link', { name: 'the very end' }).click();
  await panel(theirs).getByText('Look').waitFor();
  await panel(theirs).getByLabel('Reply, or mention @somebody').fill('I see.');
  await panel(theirs).getByRole('button', { name: 'Reply', exact: true }).click();
  await panel(mine).getByText('I see.').waitFor(SOON);

  // A reply that is sent after its field is closed leaves no draft.
  const send = await holdBack(theirs, /\/replies/);
  await panel(theirs).getByLabel('Reply, or mention @somebody').fill('So do I.');
  await theirs.keyboard.press('Control+Enter');
  await expect
    .poll(() => panel(theirs).getByLabel('Reply, or mention @somebody').getAttribute('readonly'))
    .not.toBeNull();
  await theirs.goBack();
  await theirs.getByRole('link', { name: 'the very end' }).waitFor();
  send();
  await panel(mine).getByText('So do I.').waitFor(SOON);
  await expect.poll(() => theirs.evaluate(`localStorage.getItem('nexus.drafts')`)).toBeNull();
  await theirs.goForward();

  // Everybody else who sees it is offered after an @, by name or username.
  const answer = panel(theirs).getByLabel('Reply, or mention @somebody');
  await answer.pressSequentially('mail me@x.org or ask @');
  const people = panel(theirs).getByRole('option');
  await expect.poll(() => people.allInnerTexts()).toEqual(['Ana Sousa\n@ana']);
  expect(await answer.getAttribute('role')).toBe('combobox');
  await expectAccessible(theirs, 'with people offered');
  await theirs.keyboard.press('Escape');
  await expect.poll(() => people.count()).toBe(0);
  await answer.pressSequentially('sou');
  await people.first().waitFor();
  await theirs.keyboard.press('Enter');
  expect(await answer.inputValue()).toBe('mail me@x.org or ask @ana ');
  await answer.pressSequentially('or `@ana` or @nobody, @AN');
  await people.first().click();
  expect(await answer.inputValue()).toBe('mail me@x.org or ask @ana or `@ana` or @nobody, @ana ');
  await theirs.keyboard.press('Control+Enter');
  const reply = panel(mine).locator('.reply', { hasText: 'mail me@x.org' });
  await reply.waitFor(SOON);
  await expect.poll(() => reply.locator('.mention').allInnerTexts()).toEqual(['@Ana Sousa', '@Ana Sousa']);
  await reply.locator('code', { hasText: '@ana' }).waitFor();

  // The open thread is asked for once more while access to it ends.
  chromium.forgive(/404.*(replies|audience)/);
  await panel(mine).getByLabel('Winter').uncheck();
  await panel(mine).getByRole('button', { name: 'Make private' }).click();
  await expect.poll(() => painted(theirs, 'shared'), SOON).toEqual([]);
  await panel(theirs).getByText('No highlights yet').waitFor();
});

test('a link opens a highlight at its place, and leaves the reading place as it was', async () => {
  const page = await chromium.open();
  await page.clock.install();
  await signIn(page, nexus, ana.key);
  const { body } = await nexus.call('GET', '/api/v1/highlights?q=end', { key: ana.key });
  const [{ id }] = body.data;
  await read(page, articleId, `?at=0&highlight=${id}`);
  await panel(page).locator('[data-current="true"]', { hasText: 'the very end' }).waitFor();
  await expect.poll(() => page.evaluate(IS_CURRENT_VISIBLE), SOON).toBe(true);

  // Reading on makes this the reading place, and the address names no highlight any more. The note can still be written.
  await panel(page).getByRole('button', { name: 'Edit note' }).click();
  const note = panel(page).getByLabel('Note', { exact: true });
  await note.fill('Look');
  await page.clock.fastForward(25_000);
  await page.evaluate('scrollTo(0, 50)');
  await page.waitForURL((url) => url.search === '');
  await note.pressSequentially(' at the lighthouse, and at the ice');
  await page.keyboard.press('Control+Enter');
  await panel(page).locator('p', { hasText: 'Look at the lighthouse, and at the ice' }).waitFor();

  // A click on the text opens another one; deleting it can be undone.
  await page.locator('.prose').getByText('froze').click();
  const current = panel(page).locator('[data-current="true"]');
  await expect.poll(() => current.innerText(), SOON).toContain('harbour froze in January');
  await current.getByRole('button', { name: 'Blue' }).click();
  await expect.poll(() => painted(page, 'blue'), SOON).toEqual(['harbour froze in January']);
  await current.getByRole('button', { name: 'Delete' }).click();
  await expect.poll(() => painted(page, 'blue'), SOON).toEqual([]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => painted(page, 'blue'), SOON).toEqual(['harbour froze in January']);
});

test('a link opens a highlight of a PDF that is drawn after its highlights are known', async () => {
  const link = await linkIntoReport('tells of bridges');
  const page = await chromium.open();
  await signIn(page, nexus, ana.key);
  const releaseHighlights = await holdBack(page, /\/media\/[^/]+\/highlights/);
  const releaseFile = await holdBack(page, /\/media\/[^/]+\/file/);
  await page.goto(link);
  await page.locator('.pdf-pages').waitFor();
  releaseHighlights();
  await panel(page).getByRole('button', { name: 'tells of bridges' }).waitFor();
  releaseFile();
  await panel(page).locator('[data-current="true"]', { hasText: 'tells of bridges' }).waitFor();
  await expect.poll(() => page.evaluate(IS_CURRENT_VISIBLE), SOON).toBe(true);
});

test('highlights and found words are painted when the view of a PDF loads last, and not again for a note', async () => {
  const link = await linkIntoReport('second page');
  const page = await chromium.open();
  await signIn(page, nexus, ana.key);
  const releaseView = await holdBack(page, /\/pdf-view-[^/]+\.js/);
  await page.goto(`${link}&q=bridges`);
  await panel(page).getByRole('button', { name: 'second page' }).waitFor();
  await page.getByText('1 of 1', { exact: true }).waitFor();
  releaseView();
  await expect.poll(() => painted(page, 'current'), SOON).toEqual(['second page']);
  const found = `[...(CSS.highlights.get('nexus-finding-here') ?? [])].join()`;
  await expect.poll(() => page.evaluate(found), SOON).toBe('bridges');

  await expect.poll(() => page.locator('.pdf-text > span').count(), SOON).toBe(2);
  // A change is painted in the next frame.
  const frames = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';
  await page.evaluate(frames);
  await page.evaluate(`{
    const { set } = CSS.highlights;
    window.paintedTimes = 0;
    CSS.highlights.set = (...args) => { window.paintedTimes += 1; return set.apply(CSS.highlights, args); };
  }`);
  await panel(page).getByRole('button', { name: 'Add note' }).click();
  await panel(page).getByLabel('Note', { exact: true }).pressSequentially('Look');
  await page.evaluate(frames);
  expect(await page.evaluate('window.paintedTimes')).toBe(0);
});

test('the passages of a PDF and of a chapter are marked', async () => {
  const page = await chromium.open();
  await signIn(page, nexus, ana.key);
  await read(page, reportId);
  await select(page, 'first page tells');
  await bar(page).getByRole('button', { name: 'Highlight in pink' }).click();
  await expect.poll(() => painted(page, 'pink'), SOON).toEqual(['first page tells']);
  const { body } = await nexus.call('GET', `/api/v1/media/${reportId}/highlights`, { key: ana.key });
  expect(body.data[0]).toMatchObject({ pdf: { page: 1 }, target: { fragment_idx: 0 } });
  const [[left, bottom, right, top]] = body.data[0].pdf.rects;
  expect(right - left).toBeGreaterThan(20);
  expect(top - bottom).toBeLessThan(40);

  const book = await nexus.uploadBook(ana.key, BOOK);
  await read(page, book);
  await page.getByRole('navigation', { name: 'Chapters' }).waitFor();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('heading', { name: 'Chapter 2' }).waitFor();
  await select(page, 'end of chapter 2');
  await bar(page).getByRole('button', { name: 'Highlight in purple' }).click();
  await expect.poll(() => painted(page, 'purple'), SOON).toEqual(['end of chapter 2']);
  // From another chapter, the card leads to its passage.
  await page.keyboard.press('ArrowLeft');
  await page.getByRole('heading', { name: 'Chapter 1' }).waitFor();
  await page.keyboard.press('a');
  await panel(page).getByRole('button', { name: 'end of chapter 2' }).click();
  await page.getByRole('heading', { name: 'Chapter 2' }).first().waitFor();
  await expect.poll(() => painted(page, 'current'), SOON).toEqual(['end of chapter 2']);
});

test('on a phone, the bar is below the selection, and the panel is a sheet', async () => {
  const page = await chromium.open({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
  await signIn(page, nexus, ana.key);
  await read(page, articleId);
  await select(page, 'stayed where they were');
  await bar(page).waitFor();
  await expectToFit(page, 'phone');
  const boxes = await page.evaluate<{ bar: number; selection: number }>(`({
    bar: document.querySelector('.passage-bar').getBoundingClientRect().top,
    selection: getSelection().getRangeAt(0).getBoundingClientRect().bottom,
  })`);
  expect(boxes.bar).toBeGreaterThanOrEqual(boxes.selection);
  await bar(page).getByRole('button', { name: 'Highlight with a note' }).tap();
  await panel(page).getByLabel('Note', { exact: true }).waitFor();
  await expectAccessible(page, 'phone');
});
