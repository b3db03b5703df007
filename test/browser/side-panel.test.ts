import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { DEV_KEYS } from '../support/call.ts';
import { makeEpub } from '../support/fixtures/epub.ts';
import { makePdf } from '../support/fixtures/pdf.ts';
import { HARBOUR, LETTER, SPEECH } from '../support/fixtures/texts.ts';
import { useChromium } from './chromium.ts';
import { useNexus } from './nexus.ts';
import { expectAccessible, LEFT_AT_ANALYSIS, signIn } from './person.ts';

const PAGES: Record<string, { title: string; text: string }> = {
  '/harbour': { title: 'A light in the harbour', text: `${HARBOUR}\n\n${SPEECH}\n\n${LETTER}` },
  '/engine': {
    title: 'The engine and its reader',
    text: `It was Ada Lovelace who saw what the engine could do. In London, Ada Lovelace wrote her notes, and in London they were printed.\n\n${SPEECH}`,
  },
  '/letter': { title: 'A letter', text: `${HARBOUR}\n\n${LETTER}` },
  '/visit': {
    title: 'A visit',
    text: `In the spring, the old inventor Charles Babbage met Mary Somerville in Edinburgh.\n\n${SPEECH}`,
  },
  '/forbidden': { title: 'Words that are kept back', text: `${HARBOUR}\n\nThe password was zugzwang.` },
};

const REPORT = makePdf({
  title: 'A report',
  pages: [
    ['The first page tells how the road was built.'],
    ['The second page is about bridges.'],
    ['On the third page, Ada Lovelace', 'arrives in London with a lamp.'],
  ],
});

const nexus = useNexus(
  (request, response) => {
    if (request.url === '/report.pdf') {
      response.setHeader('content-type', 'application/pdf');
      return void response.end(REPORT);
    }
    const { title, text } = PAGES[request.url ?? ''] ?? { title: 'Nothing', text: 'Nothing' };
    const body = text
      .split('\n\n')
      .map((paragraph) => `<p>${paragraph.replace('Lovelace', '<em>Love</em>lace')}</p>`)
      .join('\n');
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(
      `<!doctype html><html lang="en"><title>${title}</title><article><h1>${title}</h1>${body}</article></html>`,
    );
  },
  { NEXUS_RAW_MODE_ENABLED: 'true' },
);
const chromium = useChromium();
const SOON = { timeout: 30_000 };

async function save(key: string, path: string): Promise<string> {
  const url = `${nexus.site.url}${path}`;
  const { body } = await nexus.call('POST', '/api/v1/media', { key, body: { url } });
  const { media_id } = body.data;
  const status = async () =>
    (await nexus.call('GET', `/api/v1/media/${media_id}`, { key })).body.data.processing_status;
  await expect.poll(status, SOON).toMatch(/^ready/);
  return media_id;
}

/** Shares a media through a library. People who only saved the same link see nothing of each other. */
async function share(
  key: string,
  mediaId: string,
  invitee: { username: string; key: string },
): Promise<void> {
  const library = await nexus.call('POST', '/api/v1/libraries', { key, body: { name: 'Shared' } });
  const path = `/api/v1/libraries/${library.body.data.id}`;
  await nexus.call('POST', `${path}/media`, { key, body: { media_id: mediaId } });
  const invitation = { invitee_username: invitee.username, role: 'member' };
  const invited = await nexus.call('POST', `${path}/invites`, { key, body: invitation });
  await nexus.call('POST', `/api/v1/libraries/invites/${invited.body.data.id}/accept`, { key: invitee.key });
}

/** Opens an article or a book, in a browser tab in which the panel was last left at the analysis. */
async function read(page: Page, mediaId: string): Promise<void> {
  await page.addInitScript(LEFT_AT_ANALYSIS);
  await page.goto(`${nexus.url}/app/read/${mediaId}`);
  await page.locator('.prose-part').first().waitFor();
}

const panelOf = (page: Page) => page.getByRole('complementary', { name: 'About this document' });

/** The texts that are marked in the page, and the current one. */
async function marked(page: Page): Promise<{ all: string[]; here: string[] }> {
  return page.evaluate(() => {
    // biome-ignore lint/suspicious/noExplicitAny: the types of the DOM are not loaded
    const highlights = (globalThis as any).CSS.highlights;
    const texts = (name: string) => [...(highlights.get(name) ?? [])].map(String);
    return { all: texts('nexus-finding'), here: texts('nexus-finding-here') };
  });
}

test('an analysis is started, read, and marked in the text', async () => {
  const { key } = await nexus.person('ada');
  const [harbour, engine] = [await save(key, '/harbour'), await save(key, '/engine')];
  const page = await chromium.open();
  await signIn(page, nexus, key);
  await read(page, harbour);
  await page.keyboard.press('a');
  const panel = panelOf(page);
  await panel.getByRole('button', { name: 'Analyse' }).click();

  await expect.poll(() => panel.locator('summary h3').allInnerTexts(), SOON).toHaveLength(9);
  expect(await panel.locator('summary h3').allInnerTexts()).toContain('Figures of speech');
  const meters = await panel.locator('summary').getByRole('meter', { name: 'Confidence' }).all();
  expect(meters).toHaveLength(9);
  for (const meter of meters) expect(Number(await meter.getAttribute('aria-valuenow'))).toBeGreaterThan(0);

  await panel.getByRole('button', { name: 'Ada Lovelace' }).click();
  await expect.poll(async () => (await marked(page)).all, SOON).toEqual(['Ada Lovelace']);
  const speech = panel.locator('details', { hasText: 'Figures of speech' });
  await speech.locator('summary').click();
  await speech.getByRole('button', { name: 'we will' }).click();
  await expect
    .poll(async () => (await marked(page)).here, SOON)
    .toEqual(['We will rebuild the house. We will rebuild the road. We will rebuild the bridge.']);
  await speech.getByRole('button', { name: 'Mark all in text' }).click();
  await expect.poll(async () => (await marked(page)).all.length, SOON).toBeGreaterThan(5);
  const [first] = (await marked(page)).here;
  await panel.getByRole('button', { name: 'Next mark' }).click();
  await expect.poll(async () => (await marked(page)).here[0], SOON).not.toBe(first);
  await expectAccessible(page);

  await panel.getByRole('tab', { name: 'Related' }).click();
  expect((await marked(page)).all).toEqual([]);
  const neighbour = panel.getByRole('listitem').filter({ hasText: 'The engine and its reader' });
  await expect.poll(() => neighbour.first().innerText(), SOON).toContain('Ada Lovelace');
  await expectAccessible(page);
  await panel.getByRole('link', { name: 'The engine and its reader' }).click();
  await page.waitForURL(`**/read/${engine}`);
  await expect
    .poll(() => panelOf(page).getByRole('link', { name: 'A light in the harbour' }).count(), SOON)
    .toBe(1);
});

test('the panel is used with the keyboard, stays open after a reload, and does not move the text', async () => {
  const { key } = await nexus.person('grace');
  const harbour = await save(key, '/harbour');
  const page = await chromium.open({ viewport: { width: 1440, height: 900 } });
  await signIn(page, nexus, key);
  await read(page, harbour);
  await page.evaluate('document.fonts.ready.then(() => undefined)');
  const before = await page.locator('.prose').boundingBox();
  await page.keyboard.press('a');
  await panelOf(page).getByRole('tab', { name: 'Analysis', selected: true }).waitFor();
  expect(await page.locator('[role=tab]:focus').innerText()).toBe('Analysis');
  expect(await page.locator('.prose').boundingBox()).toEqual(before);
  await page.keyboard.press('ArrowRight');
  await panelOf(page).getByRole('tab', { name: 'Related', selected: true }).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('Highlights and analysis').waitFor();
  await page.keyboard.press('Escape');
  await page.reload();
  await panelOf(page).getByRole('tab', { name: 'Related', selected: true }).waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => panelOf(page).count(), SOON).toBe(0);
  expect(page.url()).toContain(`/read/${harbour}`);
});

test('a person who may not analyse is told why, and sees the analyses of other members', async () => {
  const [{ key }, viewer] = [await nexus.person('mary'), await nexus.person('emily', 'viewer')];
  const letter = await save(key, '/letter');
  await share(key, letter, viewer);
  const page = await chromium.open({ colorScheme: 'dark' });
  await signIn(page, nexus, viewer.key);
  await read(page, letter);
  await page.getByRole('button', { name: 'Highlights and analysis' }).click();
  const panel = panelOf(page);
  await panel.getByText('Your role lets you read analyses but not start them').waitFor();
  expect(await panel.getByRole('button', { name: 'Analyse' }).count()).toBe(0);
  await expectAccessible(page);

  await nexus.call('POST', '/api/v1/analyze', { key, body: { media_id: letter } });
  await panel.getByText('Names and subjects').waitFor();
  await expectAccessible(page);
});

test('a failed analysis shows its error and can be retried', async () => {
  const { key } = await nexus.person('jane');
  const forbidden = await save(key, '/forbidden');
  const policy = await nexus.call('POST', '/api/v1/governance/policies', {
    key: DEV_KEYS.admin,
    body: { name: 'Kept back', action: 'block', terms: ['zugzwang'] },
  });
  const page = await chromium.open();
  await signIn(page, nexus, key);
  await read(page, forbidden);
  await page.keyboard.press('a');
  const panel = panelOf(page);
  await panel.getByRole('button', { name: 'Analyse' }).click();
  await panel.getByRole('heading', { name: 'The analysis failed' }).waitFor();
  expect(await panel.getByRole('alert').innerText()).toMatch(/Kept back|policy/i);
  await expectAccessible(page);

  await nexus.call('PATCH', `/api/v1/governance/policies/${policy.body.data.id}`, {
    key: DEV_KEYS.admin,
    body: { is_enabled: false },
  });
  await panel.getByRole('button', { name: 'Retry' }).click();
  await panel.getByText('Names and subjects').waitFor();
});

test('on a phone the panel is a bottom sheet, and marks in another chapter are scrolled into view above it', async () => {
  const { key } = await nexus.person('charlotte');
  const paragraphs = (text: string) =>
    text
      .split('\n\n')
      .map((one) => `<p>${one}</p>`)
      .join('');
  const book = await nexus.uploadBook(
    key,
    makeEpub({
      title: 'Two chapters',
      chapters: [
        { file: 'text/one.xhtml', title: 'One', body: `<h1>One</h1>${paragraphs(SPEECH)}` },
        {
          file: 'text/two.xhtml',
          title: 'Two',
          body: `<h1>Two</h1>${paragraphs(`${LETTER}\n\n`.repeat(12) + HARBOUR)}`,
        },
      ],
    }),
  );
  const page = await chromium.open({ viewport: { width: 390, height: 844 }, hasTouch: true });
  await signIn(page, nexus, key);
  await read(page, book);
  await page.getByRole('button', { name: 'Actions for Two chapters' }).click();
  await page.getByRole('menuitem', { name: 'Highlights and analysis' }).click();
  const panel = panelOf(page);
  await panel.getByRole('button', { name: 'Analyse' }).click();
  await panel.getByRole('button', { name: 'Ada Lovelace' }).click();
  await expect.poll(async () => (await marked(page)).here, SOON).toEqual(['Ada Lovelace']);
  const sheet = (await panel.boundingBox()) ?? expect.fail('no sheet');
  expect(sheet.x).toBe(0);
  expect(sheet.width).toBeGreaterThan(370);
  const box = await page.evaluate(() => {
    // biome-ignore lint/suspicious/noExplicitAny: the types of the DOM are not loaded
    const [range] = (globalThis as any).CSS.highlights.get('nexus-finding-here');
    const { top, bottom } = range.getBoundingClientRect();
    return { top, bottom };
  });
  expect(box.top).toBeGreaterThan(0);
  expect(box.bottom).toBeLessThan(sheet.y);
  await expectAccessible(page);
});

test('marks are shown on the pages of a PDF', async () => {
  const { key } = await nexus.person('anne');
  const report = await save(key, '/report.pdf');
  const page = await chromium.open();
  await signIn(page, nexus, key);
  await page.addInitScript(LEFT_AT_ANALYSIS);
  await page.goto(`${nexus.url}/app/read/${report}`);
  await page.locator('.pdf-page').first().waitFor();
  await page.keyboard.press('a');
  const panel = panelOf(page);
  await panel.getByRole('button', { name: 'Analyse' }).click();
  await panel.getByRole('button', { name: 'Ada Lovelace' }).click();
  await expect.poll(async () => (await marked(page)).here, SOON).toEqual(['Ada Lovelace']);
});

test('redacted text is shown only to people who may see the original', async () => {
  await nexus.call('POST', '/api/v1/governance/policies', {
    key: DEV_KEYS.admin,
    body: { name: 'No inventors', action: 'redact', terms: ['Babbage'] },
  });
  const key = DEV_KEYS.researcher;
  const visit = await save(key, '/visit');
  const page = await chromium.open();
  await signIn(page, nexus, key);
  await read(page, visit);
  await page.keyboard.press('a');
  const panel = panelOf(page);
  await panel.getByRole('button', { name: 'Analyse' }).click();
  await panel.getByRole('button', { name: 'Mary Somerville' }).click();
  await expect.poll(async () => (await marked(page)).here, SOON).toEqual(['Mary Somerville']);
  expect(await panel.innerText()).not.toContain('Babbage');

  await panel.getByRole('button', { name: 'Original text' }).click();
  await panel.getByRole('button', { name: 'Analyse' }).click();
  await panel.getByRole('button', { name: 'Charles Babbage' }).click();
  await expect.poll(async () => (await marked(page)).here, SOON).toEqual(['Charles Babbage']);
  await expectAccessible(page);

  const agatha = await nexus.person('agatha');
  await share(key, visit, agatha);
  const other = await chromium.open();
  await signIn(other, nexus, agatha.key);
  await read(other, visit);
  await other.keyboard.press('a');
  await panelOf(other).getByRole('button', { name: 'Mary Somerville' }).waitFor();
  expect(await panelOf(other).getByRole('button', { name: 'Original text' }).count()).toBe(0);
  expect(await panelOf(other).innerText()).not.toContain('Babbage');
});
