import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { makeEpub } from '../support/fixtures/epub.ts';
import { copiedBy } from './clipboard.ts';
import { bar, PHONE, painted, SOON, useMarking } from './marking.ts';
import { useNexus } from './nexus.ts';
import { expectAccessible, expectToFit } from './person.ts';
import { clickOn, drag, hold } from './selecting.ts';

const FILLER = `<p>${'There is more to say about the harbour, the boats and the winter. '.repeat(6)}</p>`;

const nexus = useNexus((_request, response) => void response.end());
const { reader, open, stored, quotes, mark } = useMarking(nexus);

let books = 0;
/** Uploads a book of three chapters. Each is another one: uploading the same file twice returns the existing media. */
function winters(): Promise<string> {
  books += 1;
  const chapters = [1, 2, 3].map((number) => ({
    file: `${number}.xhtml`,
    title: `Winter ${number}`,
    body: `<h1>Winter ${number}</h1><p>The harbour froze in winter ${number}.</p>${FILLER.repeat(8)}<p>So year ${number} ended.</p>`,
  }));
  return nexus.uploadBook(reader().key, makeEpub({ title: `Three winters, volume ${books}`, chapters }));
}

/** Uploads a fixed-layout book of two pages. */
function pictures(): Promise<string> {
  const chapters = [1, 2].map((number) => ({
    file: `${number}.xhtml`,
    title: `Page ${number}`,
    head: '<meta name="viewport" content="width=1200, height=1600"/><style>p { font-size: 60px }</style>',
    body: `<p>Here is picture ${number}.</p><p>The <a href="2.xhtml">owl</a> agrees.</p>`,
  }));
  const metadata = '<meta property="rendition:layout">pre-paginated</meta>';
  return nexus.uploadBook(reader().key, makeEpub({ title: 'A picture book', metadata, chapters }));
}

const chapter = (page: Page, number: number) =>
  page.locator('.prose').getByRole('heading', { name: `Winter ${number}` });
const current = (page: Page) => page.locator('.highlight-card[data-current="true"]');
/** The text that asks for the end of a passage. */
const question = (page: Page) => page.getByRole('status').getByText('Select the last words');
/** The bar of a selection that ends a passage. */
const beginning = (page: Page, words: string) => bar(page).getByText(`From “${words}`);
const OVER_THE_END = 'year 1 ended.\nWinter 2\nThe harbour';

test('a passage goes on in the next chapter, and is one highlight', async () => {
  const id = await winters();
  const page = await open(id);
  const goOn = bar(page).getByRole('button', { name: 'Continue in next chapter' });
  await drag(page, 'harbour', 'froze');
  await bar(page).waitFor();
  expect(await goOn.count()).toBe(0);
  await drag(page, 'year 1', 'ended');
  await goOn.click();
  await chapter(page, 2).waitFor();
  await question(page).waitFor();
  expect(await page.evaluate('scrollY')).toBe(0);

  await drag(page, 'The ', 'harbour');
  await beginning(page, 'year 1 ended').waitFor();
  await expect.poll(() => painted(page, 'begun'), SOON).toEqual(['Winter 2The harbour']);
  await expectAccessible(page);
  const copyPassage = bar(page).getByRole('button', { name: 'Copy', exact: true });
  expect(await copiedBy(page, () => copyPassage.click())).toBe(OVER_THE_END);
  const copyPassageLink = bar(page).getByRole('button', { name: 'Copy link to passage' });
  const passageLink = await copiedBy(page, () => copyPassageLink.click());
  expect(passageLink).toContain('at=0');
  await bar(page).getByRole('button', { name: 'Highlight to here in pink' }).click();
  await expect.poll(() => quotes(id), SOON).toEqual([OVER_THE_END]);
  expect(await stored(id)).toMatchObject([{ target: { fragment_idx: 0 } }]);
  await expect.poll(() => painted(page, 'pink'), SOON).toEqual(['Winter 2The harbour']);
  expect(await question(page).count()).toBe(0);

  // A click on its end opens it there, and its card leads to its beginning.
  await page.reload();
  await expect.poll(() => painted(page, 'pink'), SOON).toEqual(['Winter 2The harbour']);
  await clickOn(page, 'harbour');
  await current(page).getByText('year 1 ended. Winter 2 The harbour').waitFor();
  const copyText = current(page).getByRole('button', { name: 'Copy text' });
  expect(await copiedBy(page, () => copyText.click())).toBe(OVER_THE_END);
  const copyLink = current(page).getByRole('button', { name: 'Copy link' });
  const link = await copiedBy(page, () => copyLink.click());
  expect(link).toContain('highlight=');
  expect(await chapter(page, 2).isVisible()).toBe(true);
  for (const isOpen of ['false', 'true']) {
    await page.locator('.highlight-quote').click();
    await page.locator(`.highlight-card[data-current="${isOpen}"]`).waitFor();
  }
  await chapter(page, 1).waitFor();
  await expect.poll(() => painted(page, 'current'), SOON).toEqual(['year 1 ended.']);
  const isShown = `(() => {
    const [range] = CSS.highlights.get('nexus-highlight-current') ?? [];
    const { top = -1, bottom = -1 } = range?.getBoundingClientRect() ?? {};
    return top > 0 && bottom < innerHeight;
  })()`;
  await expect.poll(() => page.evaluate(isShown), SOON).toBe(true);

  await page.goto('about:blank');
  await page.goto(link);
  await current(page).getByText('year 1 ended. Winter 2 The harbour').waitFor();
  await expect.poll(() => page.evaluate(isShown), SOON).toBe(true);
  await page.locator('.highlight-quote').click();
  await current(page).waitFor({ state: 'detached' });
  await clickOn(page, 'ended');
  await current(page).waitFor();

  await page.goto(passageLink);
  await chapter(page, 1).waitFor();
  const found = "[...(CSS.highlights.get('nexus-finding-here') ?? [])].map(String)";
  await expect.poll(() => page.evaluate(found), SOON).toEqual(['year']);
});

test('the keyboard goes on in the next chapter, from its first word', async () => {
  const id = await winters();
  const page = await open(id);
  await drag(page, 'year 1', 'ended.');
  await bar(page).waitFor();
  await page.keyboard.press('l');
  await chapter(page, 2).waitFor();
  await beginning(page, 'year 1 ended').waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('Highlight to here', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('Shift+Control+ArrowRight');
  await mark(page, id, 'year 1 ended.\nWinter 2');
  await expect.poll(() => painted(page), SOON).toEqual(['Winter 2']);
});

test('a passage goes over a whole chapter, and Escape cancels it', async () => {
  const id = await winters();
  const page = await open(id);
  const goOn = bar(page).getByRole('button', { name: 'Continue in next chapter' });
  await drag(page, 'year 1', 'ended');
  await goOn.click();
  await question(page).waitFor();
  await page.keyboard.press('Escape');
  await question(page).waitFor({ state: 'detached' });
  // Escape has not closed the book.
  await chapter(page, 2).waitFor();

  await page.keyboard.press('ArrowLeft');
  await chapter(page, 1).waitFor();
  await drag(page, 'year 1', 'ended');
  await goOn.click();
  await chapter(page, 2).waitFor();
  await page.keyboard.press('ArrowRight');
  await chapter(page, 3).waitFor();
  await clickOn(page, 'froze', 2);
  await beginning(page, 'year 1 ended').waitFor();
  await page.keyboard.press('m');
  await current(page).getByLabel('Note', { exact: true }).waitFor();
  await expect.poll(() => painted(page), SOON).toEqual(['Winter 3The harbour froze']);
  expect((await quotes(id))[0]).toMatch(/^year 1 ended\.\nWinter 2\n.*\nWinter 3\nThe harbour froze$/s);
  // The note is written where the passage ends.
  expect(await chapter(page, 3).isVisible()).toBe(true);
  await page.getByRole('button', { name: 'Previous' }).click();
  await chapter(page, 2).waitFor();
  await expect.poll(async () => (await painted(page))[0], SOON).toMatch(/^Winter 2.*So year 2 ended\.$/s);
});

test('a finger goes on in the next chapter', async () => {
  const id = await winters();
  const page = await open(id, PHONE);
  await hold(page, 'ended');
  await bar(page).getByRole('button', { name: 'Continue in next chapter' }).tap();
  await question(page).waitFor();
  await expectToFit(page, 'with a begun passage');
  await hold(page, 'froze');
  await beginning(page, 'ended').waitFor();
  await expectToFit(page, 'with the bar');
  await bar(page).getByRole('button', { name: 'Highlight to here in blue' }).tap();
  await expect.poll(() => quotes(id), SOON).toEqual(['ended.\nWinter 2\nThe harbour froze']);
  await expect.poll(() => painted(page, 'blue'), SOON).toEqual(['Winter 2The harbour froze']);
});

test('a passage goes on on the next page of a fixed-layout book', async () => {
  const id = await pictures();
  const page = await open(id);
  await drag(page, 'The ', 'agrees');
  await bar(page).getByRole('button', { name: 'Continue on next page' }).click();
  await page.locator('.fixed-page').getByText('Here is picture 2').waitFor();
  await drag(page, 'Here', 'picture 2');
  await beginning(page, 'The owl agrees').waitFor();
  await mark(page, id, 'The owl agrees.\nHere is picture 2');
  await expect.poll(() => painted(page), SOON).toEqual(['Here is picture 2']);
});
