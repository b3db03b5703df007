import { expect, test } from 'vitest';
import { makeEpub } from '../support/fixtures/epub.ts';
import { makePage } from '../support/fixtures/pages.ts';
import { useChromium } from './chromium.ts';
import { useNexus } from './nexus.ts';
import { expectAccessible, expectToFit, openLibrary, signIn } from './person.ts';

const NOTES = `<p id="text">A claim.<sup><a href="#fn1">1</a></sup></p>
<ol><li id="fn1"><p>The note behind the claim. <a href="#text">↩</a></p></li></ol>`;
const APPLICATION = `<html><head><title>Chess for two</title>
<meta name="description" content="Play against anybody."></head><body><div id="root"></div></body></html>`;

const nexus = useNexus((request, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  if (request.url === '/chess') return void response.end(APPLICATION);
  response.end(makePage({ title: `Essay ${request.url?.slice(1)}`, article: NOTES }));
});
const chromium = useChromium();
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

const save = (key: string, path: string) =>
  nexus.call('POST', '/api/v1/media', { key, body: { url: `${nexus.site.url}/${path}` } });
const BOOK = makeEpub({
  title: 'A book with notes',
  chapters: [
    {
      file: 'text/one.xhtml',
      title: 'One',
      body: `<h1>One</h1>${'<p>It began quietly.</p>'.repeat(20)}<p>A claim.<sup><a href="notes.xhtml#n1">1</a></sup></p>`,
    },
    {
      file: 'text/notes.xhtml',
      title: 'Notes',
      body: '<h1>Notes</h1><ol><li id="n1">The note in another chapter.</li></ol>',
    },
  ],
});

test('a footnote is shown beside its reference, on hover and with the keyboard', async () => {
  const { key } = await nexus.person('ada');
  await save(key, 'one');
  const page = await chromium.open();
  await openLibrary(page, nexus, key);
  await page.getByRole('article').getByRole('link', { name: 'Essay one' }).click();
  const reference = page.locator('.prose a[data-note]');
  await reference.hover();
  const note = page.getByRole('complementary', { name: 'Footnote' });
  await note.getByText('The note behind the claim.').waitFor();
  await expectAccessible(page);
  expect(await note.innerText()).not.toContain('↩');
  await page.keyboard.press('Escape');
  await note.waitFor({ state: 'detached' });
  await page.mouse.move(5, 5);
  await reference.focus();
  await note.getByRole('button', { name: 'Go to note' }).click();
  await note.waitFor({ state: 'detached' });
  await expect.poll(() => new URL(page.url()).search).toContain('to=n-fn1');
});

test('on a phone, a tap shows a note of another chapter and stays in the text', async () => {
  const { key } = await nexus.person('bea');
  const id = await nexus.uploadBook(key, BOOK);
  const page = await chromium.open(PHONE);
  await signIn(page, nexus, key);
  await page.goto(`${nexus.url}/app/read/${id}`);
  await page.locator('.prose a[data-note]').tap();
  await page
    .getByRole('complementary', { name: 'Footnote' })
    .getByText('The note in another chapter.')
    .waitFor();
  await page.getByRole('heading', { name: 'One', exact: true }).waitFor();
  await expectToFit(page, 'phone');
});

test('after finishing an item, the next one is offered', async () => {
  const { key } = await nexus.person('cleo');
  for (const path of ['first', 'second']) await save(key, path);
  const page = await chromium.open();
  await openLibrary(page, nexus, key);
  await page.getByRole('article').getByRole('link', { name: 'Essay second' }).waitFor();
  await page.getByRole('article').getByRole('link', { name: 'Essay first' }).click();
  const end = page.locator('.reader-end');
  await end.getByRole('button', { name: 'Mark as finished' }).click();
  await end.getByText('Finished', { exact: true }).waitFor();
  await end.getByRole('button', { name: 'Mark as not finished' }).waitFor();
  await page.getByRole('link', { name: /Next.*Essay second/ }).click();
  await page.getByRole('heading', { name: 'Essay second' }).waitFor();
});

test('a page without text is a saved link that can be opened', async () => {
  const { key } = await nexus.person('dan');
  await save(key, 'chess');
  const page = await chromium.open(PHONE);
  await openLibrary(page, nexus, key);
  await page.getByRole('article').getByRole('link', { name: 'Chess for two' }).click();
  await page.getByText('Play against anybody.').waitFor();
  const original = page.getByRole('link', { name: 'Open original' });
  expect(await original.getAttribute('href')).toBe(`${nexus.site.url}/chess`);
  await expectAccessible(page);
  await expectToFit(page, 'phone');
});
