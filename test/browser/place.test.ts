import type { Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import { makeEpub } from '../support/fixtures/epub.ts';
import { makePage } from '../support/fixtures/pages.ts';
import { makePdf } from '../support/fixtures/pdf.ts';
import { useChromium } from './chromium.ts';
import { useNexus } from './nexus.ts';
import { drop, expectAccessible, openLibrary, signIn } from './person.ts';

const nexus = useNexus((_request, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(makePage({ title: 'The lamp on the desk', paragraphs: 60 }));
});
const chromium = useChromium();
const SOON = { timeout: 20_000 };

const CHAPTERS = 30;
const BOOK = makeEpub({
  title: 'Thirty lamps',
  chapters: Array.from({ length: CHAPTERS }, (_, index) => ({
    file: `text/${index}.xhtml`,
    title: `Lamp ${index + 1}`,
    body: `<h1>Lamp ${index + 1}</h1>
${'<p>It burns until the morning, and nobody reads by it.</p>'.repeat(40)}
<p>${index % 10 === 9 ? `Here lies needle number ${index + 1}.` : 'Nothing lies here.'}</p>
${'<p>It burns until the morning, and nobody reads by it.</p>'.repeat(40)}`,
  })),
});

interface Person {
  key: string;
}

async function storedPosition({ key }: Person, id: string) {
  const { body } = await nexus.call('GET', `/api/v1/media/${id}`, { key });
  return body.data.reading?.position;
}

const untilStored = (person: Person, id: string, position: object) =>
  vi.waitFor(async () => expect(await storedPosition(person, id)).toMatchObject(position), 20_000);

async function saveArticle({ key }: Person): Promise<string> {
  const body = { url: `${nexus.site.url}/${crypto.randomUUID()}` };
  const { media_id } = (await nexus.call('POST', '/api/v1/media', { key, body })).body.data;
  await vi.waitFor(async () => {
    const { body: media } = await nexus.call('GET', `/api/v1/media/${media_id}`, { key });
    expect(media.data.capabilities.can_read).toBe(true);
  }, 30_000);
  return media_id;
}

/** The distance of a paragraph from the top of the screen. */
const topOf = (page: Page, paragraph: number) =>
  page.evaluate<number>(
    `document.querySelectorAll('.prose p')[${paragraph}]?.getBoundingClientRect().top ?? 99999`,
  );
const expectAt = (page: Page, paragraph: number) =>
  expect.poll(async () => Math.abs((await topOf(page, paragraph)) - 72), SOON).toBeLessThan(40);
const scrollTo = (page: Page, paragraph: number) =>
  page.evaluate(`{
    const { top } = document.querySelectorAll('.prose p')[${paragraph}].getBoundingClientRect();
    window.scrollBy(0, top - 70);
  }`);
const scrollY = (page: Page) => page.evaluate<number>('window.scrollY');
const chapter = (page: Page, number: number) =>
  page.locator('.prose').getByRole('heading', { name: `Lamp ${number}`, exact: true });
const contents = (page: Page, number: number) =>
  page
    .getByRole('navigation', { name: 'Contents' })
    .getByRole('button', { name: `Lamp ${number}`, exact: true });
const back = (page: Page) => page.getByRole('button', { name: 'Back', exact: true });
const backToPlace = (page: Page) => page.getByRole('button', { name: 'Back to where you were' });
/** The match that is marked as the current one, if it is on the screen. */
const currentMatch = (page: Page) =>
  page.evaluate<string | undefined>(`(() => {
    const [range] = CSS.highlights.get('nexus-finding-here') ?? [];
    const box = range?.getBoundingClientRect();
    return box && box.top > 0 && box.bottom < innerHeight ? range.toString() : undefined;
  })()`);

test('an article that is reopened in the same tab continues where it was left', async () => {
  const ada = await nexus.person('ada');
  const id = await saveArticle(ada);
  const page = await chromium.open();
  await openLibrary(page, nexus, ada.key);
  const title = page.getByRole('article').getByRole('link', { name: 'The lamp on the desk' });
  for (const paragraph of [19, 31]) {
    await title.click();
    await page.locator('.prose p').nth(50).waitFor();
    if (paragraph === 31) await expectAt(page, 19);
    await scrollTo(page, paragraph);
    await back(page).click();
    await title.waitFor();
  }
  await untilStored(ada, id, { block: 31 });
  await title.click();
  await expectAt(page, 31);
  await page.goBack();
  await page.goForward();
  await expectAt(page, 31);
  await page.reload();
  await expectAt(page, 31);
  expect(await storedPosition(ada, id)).toMatchObject({ block: 31 });
});

test('a place that another device has stored since is continued, and not overwritten', async () => {
  const bea = await nexus.person('bea');
  const id = await saveArticle(bea);
  const page = await chromium.open();
  await openLibrary(page, nexus, bea.key);
  const title = page.getByRole('article').getByRole('link', { name: 'The lamp on the desk' });
  await title.click();
  await page.locator('.prose p').nth(50).waitFor();
  await scrollTo(page, 9);
  await untilStored(bea, id, { block: 9 });
  await back(page).click();
  await title.waitFor();
  const body = { progress: 0.7, position: { block: 42 } };
  expect((await nexus.call('PUT', `/api/v1/media/${id}/reading`, { ...bea, body })).status).toBe(200);
  await title.click();
  await expectAt(page, 42);
  expect(await storedPosition(bea, id)).toEqual({ block: 42 });
});

test('focus that returns from a menu, a dialog or the palette does not scroll', async () => {
  const cleo = await nexus.person('cleo');
  const id = await saveArticle(cleo);
  const page = await chromium.open();
  await signIn(page, nexus, cleo.key);
  await page.goto(`${nexus.url}/app/read/${id}`);
  await page.locator('.prose p').nth(50).waitFor();
  await scrollTo(page, 25);
  const before = await scrollY(page);
  await page.getByRole('button', { name: 'Actions for' }).click();
  await page.getByRole('menu').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('menu').waitFor({ state: 'detached' });
  expect(await scrollY(page)).toBe(before);
  for (const keys of ['?', 'Control+k']) {
    await page.keyboard.press(keys);
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await scrollY(page)).toBe(before);
  }
});

test('a PDF that is reopened in the same tab continues where it was left', async () => {
  const dan = await nexus.person('dan');
  const page = await chromium.open();
  await openLibrary(page, nexus, dan.key);
  const pages = Array.from({ length: 12 }, (_, index) => [`This is page ${index + 1} of the paper.`]);
  await drop(page, 'paper.pdf', 'application/pdf', makePdf({ title: 'A paper', pages }));
  const title = page.getByRole('article').getByRole('link', { name: 'A paper' });
  await title.click();
  await page.getByText('Page 1 of 12').waitFor();
  await page.evaluate(
    `window.scrollBy(0, document.querySelector('[data-page="7"]').getBoundingClientRect().top + 150)`,
  );
  await page.getByText('Page 7 of 12').waitFor();
  const left = await scrollY(page);
  await back(page).click();
  await title.click();
  await page.getByText('Page 7 of 12').waitFor();
  await expect.poll(async () => Math.abs((await scrollY(page)) - left), SOON).toBeLessThan(30);
});

test('a book: contents are a visit, which Back ends, and which becomes the place for who reads on', async () => {
  const eve = await nexus.person('eve');
  const id = await nexus.uploadBook(eve.key, BOOK);
  const page = await chromium.open();
  await page.clock.install();
  await openLibrary(page, nexus, eve.key);
  const title = page.getByRole('article').getByRole('link', { name: 'Thirty lamps' });
  await title.click();
  await chapter(page, 1).waitFor();
  for (const number of [2, 3]) {
    await page.keyboard.press('ArrowRight');
    await chapter(page, number).waitFor();
  }
  await scrollTo(page, 20);
  await untilStored(eve, id, { fragment: 2, block: 21 });

  await contents(page, 20).click();
  await chapter(page, 20).waitFor();
  await expect.poll(() => scrollY(page), SOON).toBeLessThan(20);
  await scrollTo(page, 10);
  await backToPlace(page).waitFor();
  await expectAccessible(page);
  await page.goBack();
  await chapter(page, 3).waitFor();
  await expectAt(page, 20);
  await page.goForward();
  await chapter(page, 20).waitFor();
  await contents(page, 25).click();
  await chapter(page, 25).waitFor();
  await backToPlace(page).click();
  await chapter(page, 3).waitFor();
  await expectAt(page, 20);
  expect(await storedPosition(eve, id)).toMatchObject({ fragment: 2, block: 21 });

  await contents(page, 12).click();
  await chapter(page, 12).waitFor();
  await page.clock.fastForward(25_000);
  await scrollTo(page, 15);
  await backToPlace(page).waitFor({ state: 'detached' });
  await page.clock.fastForward(2000);
  await untilStored(eve, id, { fragment: 11, block: 16 });
  await back(page).click();
  await title.click();
  await chapter(page, 12).waitFor();
  await expectAt(page, 15);
});

test('a search hit opens at its words, marks them, and leaves the place', async () => {
  const fay = await nexus.person('fay');
  const id = await nexus.uploadBook(fay.key, BOOK);
  const body = { progress: 0.1, position: { fragment: 2, block: 5 } };
  await nexus.call('PUT', `/api/v1/media/${id}/reading`, { ...fay, body });
  const page = await chromium.open();
  await signIn(page, nexus, fay.key);
  await page.goto(`${nexus.url}/app/search?q=needle`);
  await page.getByRole('list', { name: 'More passages of Thirty lamps' }).getByRole('link').nth(1).waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Thirty lamps' }).click();
  await chapter(page, 10).waitFor();
  await expect.poll(() => currentMatch(page), SOON).toBe('needle');
  await page.getByText('1 of 3', { exact: true }).waitFor();
  const colour = `getComputedStyle(document.querySelector('.prose p'), '::highlight(nexus-finding-here)').backgroundColor`;
  expect(await page.evaluate(colour)).not.toBe('rgba(0, 0, 0, 0)');
  expect(await page.evaluate('document.activeElement.tagName')).not.toBe('INPUT');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Next match' }).click();
  await chapter(page, 20).waitFor();
  await expect.poll(() => currentMatch(page), SOON).toBe('needle');
  await page.getByRole('button', { name: 'Previous match' }).click();
  await chapter(page, 10).waitFor();
  await backToPlace(page).click();
  await chapter(page, 3).waitFor();
  expect(await storedPosition(fay, id)).toEqual({ fragment: 2, block: 5 });

  await page.goto(`${nexus.url}/app/search?q=needle`);
  await page.getByRole('list', { name: 'More passages of Thirty lamps' }).getByRole('link').first().click();
  await chapter(page, 20).waitFor();
  await expect.poll(() => currentMatch(page), SOON).toBe('needle');
});

test('Ctrl+F finds text in all chapters of a book', async () => {
  const gil = await nexus.person('gil');
  const id = await nexus.uploadBook(gil.key, BOOK);
  const page = await chromium.open({ viewport: { width: 390, height: 844 } });
  await signIn(page, nexus, gil.key);
  await page.goto(`${nexus.url}/app/read/${id}`);
  await chapter(page, 1).waitFor();
  await page.keyboard.press('Control+f');
  await page.keyboard.type('LIES needle');
  await page.getByText('1 of 3', { exact: true }).waitFor();
  await chapter(page, 10).waitFor();
  await expect.poll(() => currentMatch(page), SOON).toBe('lies needle');
  await page.keyboard.press('Enter');
  await chapter(page, 20).waitFor();
  await page.keyboard.press('Shift+Enter');
  await chapter(page, 10).waitFor();
  await expectAccessible(page);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  await page.keyboard.press('Escape');
  await page.getByRole('searchbox', { name: 'Find in document' }).waitFor({ state: 'detached' });
  expect(await page.evaluate(`CSS.highlights.has('nexus-finding')`)).toBe(false);
  await chapter(page, 10).waitFor();
});

test.each(['read/ID', 'save?url=https%3A%2F%2Fexample.org%2Fa'])(
  'signing in at a deep link leads to it: %s',
  async (path) => {
    const { key, username } = await nexus.person(`h${path.length}`);
    const id = await saveArticle({ key });
    const page = await chromium.open();
    const address = `${nexus.url}/app/${path.replace('ID', id)}`;
    await page.goto(address);
    await page.getByRole('button', { name: 'Use an API key instead' }).click();
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(address);
    await page.reload();
    expect(page.url()).toBe(address);
    expect(username).not.toBe('');
    await page
      .getByRole(path.startsWith('read') ? 'article' : 'heading')
      .first()
      .waitFor();
  },
);

test('an unknown address is a page, within the app and outside', async () => {
  const ida = await nexus.person('ida');
  const page = await chromium.open();
  chromium.forgive(/status of 404/);
  await page.goto(`${nexus.url}/nowhere`);
  await page.getByText('Page not found').waitFor();
  await signIn(page, nexus, ida.key);
  for (const path of ['/nowhere', '/app/nowhere']) {
    await page.goto(`${nexus.url}${path}`);
    await page.getByText('Page not found').waitFor();
  }
  // Programs get an error that they can read.
  const { status, body } = await nexus.call('GET', '/nowhere');
  expect({ status, code: body.error.code }).toEqual({ status: 404, code: 'E_NOT_FOUND' });
});
