import type { Page } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';
import { useChromium } from './chromium.ts';
import { useNexus } from './nexus.ts';
import { signIn } from './person.ts';

const TEXT = 'The harbour froze in January, and nobody had seen ice there before. ';
const nexus = useNexus((_request, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(`<!doctype html><title>Ice</title><article><h1>Ice</h1><p>${TEXT.repeat(20)}</p></article>`);
});
const chromium = useChromium();
const SOON = { timeout: 20_000 };

let ana: { key: string };
let mediaId: string;
let highlightId: string;
beforeAll(async () => {
  ana = await nexus.person('ana');
  const url = `${nexus.site.url}/ice`;
  const saved = await nexus.call('POST', '/api/v1/media', { key: ana.key, body: { url } });
  mediaId = saved.body.data.media_id;
  await vi.waitFor(async () => {
    const target = { fragment_idx: 0, selector: [{ type: 'TextPositionSelector', start: 0, end: 11 }] };
    const path = `/api/v1/media/${mediaId}/highlights`;
    const made = await nexus.call('POST', path, { key: ana.key, body: { target } });
    expect(made.status).toBe(201);
    highlightId = made.body.data.id;
  }, 30_000);
});

const noteOf = async () =>
  (await nexus.call('GET', `/api/v1/media/${mediaId}/mine`, { key: ana.key })).body.data.note;
const highlightNote = async () =>
  (await nexus.call('GET', `/api/v1/highlights/${highlightId}`, { key: ana.key })).body.data.note;
const drafts = (page: Page) => page.evaluate<string | null>(`localStorage.getItem('nexus.drafts')`);
const itemNote = (page: Page) => page.getByRole('textbox', { name: 'Your note' });

/** Ends the process of a tab, and opens another one. */
async function crashed(page: Page): Promise<Page> {
  const isOver = page.waitForEvent('crash');
  // The navigation never ends.
  page.goto('chrome://crash').catch(() => undefined);
  await isOver;
  const next = await page.context().newPage();
  next.setDefaultTimeout(20_000);
  return next;
}

test('the note of an item is sent when its tab is closed, and restored when that is not possible', async () => {
  let page = await chromium.open();
  await signIn(page, nexus, ana.key);
  const read = () => page.goto(`${nexus.url}/app/read/${mediaId}`);
  await read();
  await page.getByRole('button', { name: 'Actions for Ice' }).click();
  // Until the note is loaded, a closed tab keeps the draft and sends nothing, so that it overwrites no other change.
  const loading = page.waitForResponse(/\/mine$/);
  await page.getByRole('menuitem', { name: 'Add note' }).click();
  await (await loading).finished();
  await itemNote(page).fill('Half a thought');
  await expect.poll(() => drafts(page)).toContain('Half a thought');
  await page.goto('about:blank');
  await expect.poll(noteOf, SOON).toBe('Half a thought');
  await read();
  await page.getByText('Half a thought').waitFor();

  // A tab that crashes sends nothing.
  await page.getByRole('button', { name: 'Edit note' }).click();
  await expect.poll(() => itemNote(page).inputValue()).toBe('Half a thought');
  await itemNote(page).fill('Half a thought, and the other half');
  page = await crashed(page);
  await read();
  await expect.poll(() => itemNote(page).inputValue(), SOON).toBe('Half a thought, and the other half');
  expect(await noteOf()).toBe('Half a thought');
  await itemNote(page).press('Control+Enter');
  await expect.poll(noteOf, SOON).toBe('Half a thought, and the other half');
  await expect.poll(() => drafts(page)).toBeNull();

  // A draft of a note that was changed elsewhere asks which one is kept.
  await page.getByRole('button', { name: 'Edit note' }).click();
  await itemNote(page).fill('Mine');
  page = await crashed(page);
  await nexus.call('PATCH', `/api/v1/media/${mediaId}/mine`, { key: ana.key, body: { note: 'Theirs' } });
  await read();
  await page.getByRole('alert').getByText('Theirs').waitFor();
  await page.getByRole('button', { name: 'Save mine' }).click();
  await expect.poll(noteOf, SOON).toBe('Mine');
});

test('the note of a highlight is restored, and two tabs do not overwrite each other', async () => {
  const page = await chromium.open();
  await signIn(page, nexus, ana.key);
  const other = await page.context().newPage();
  const read = (tab: Page) => tab.goto(`${nexus.url}/app/read/${mediaId}?highlight=${highlightId}`);
  const field = (tab: Page) => tab.getByLabel('Note', { exact: true });
  await read(page);
  await page.getByRole('button', { name: 'Add note' }).last().click();
  await field(page).fill('A long thou');
  await page.reload();
  await page.getByText('Restored text that was not saved.').waitFor();
  expect(await field(page).inputValue()).toBe('A long thou');

  await read(other);
  await field(other).fill('From the other tab');
  await field(page).fill('A long thought');
  await other.getByRole('button', { name: 'Save', exact: true }).click();
  await expect.poll(highlightNote, SOON).toBe('From the other tab');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('alert').getByText('From the other tab').waitFor();
  expect(await highlightNote()).toBe('From the other tab');
  await page.getByRole('button', { name: 'Save mine' }).click();
  await expect.poll(highlightNote, SOON).toBe('A long thought');
  await expect.poll(() => drafts(page)).toBeNull();

  // Signing out forgets what was typed.
  await page.getByRole('button', { name: 'Edit note' }).last().click();
  await field(page).fill('A secret');
  expect(await drafts(page)).toContain('A secret');
  // The other tab may ask for something after the session has ended.
  chromium.forgive(/401 \(Unauthorized\)/);
  await page.goto(`${nexus.url}/app/`);
  await page.getByRole('button', { name: 'ana', exact: false }).first().click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  expect(await drafts(page)).toBeNull();
});

/** 20,000 characters that take the parser of Markdown many seconds, on a fast machine, too: nested lists. */
const HOSTILE = `${'- '.repeat(9900)}a`;

test('a hostile note stays plain text, and does not block the page', async () => {
  await nexus.call('PATCH', `/api/v1/media/${mediaId}/mine`, { key: ana.key, body: { note: HOSTILE } });
  await nexus.call('PATCH', `/api/v1/highlights/${highlightId}`, {
    key: ana.key,
    body: { note: 'A **bold** one' },
  });
  const page = await chromium.open();
  await signIn(page, nexus, ana.key);
  await page.addInitScript(`{
    let last = performance.now();
    window.longestGap = 0;
    setInterval(() => {
      const now = performance.now();
      window.longestGap = Math.max(window.longestGap, now - last);
      last = now;
    }, 20);
  }`);
  await page.goto(`${nexus.url}/app/read/${mediaId}?highlight=${highlightId}`);
  await page.locator('.markdown-plain', { hasText: '- - - -' }).waitFor();
  // The notes after it are parsed.
  await page.locator('.highlight-card strong', { hasText: 'bold' }).waitFor();
  expect(await page.locator('.markdown-plain', { hasText: '- - - -' }).count()).toBe(1);
  expect(await page.evaluate<number>('window.longestGap')).toBeLessThan(5000);
});
