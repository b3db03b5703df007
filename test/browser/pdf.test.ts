import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { makePdf } from '../support/fixtures/pdf.ts';
import { useChromium } from './chromium.ts';
import { useNexus } from './nexus.ts';
import { drop, expectAccessible, openLibrary } from './person.ts';

const nexus = useNexus((_request, response) => void response.writeHead(404).end());
const chromium = useChromium();
const SOON = { timeout: 20_000 };

const PAPER = makePdf({
  pages: Array.from({ length: 12 }, (_, index) => [`This is page ${index + 1} of the paper on lamps.`]),
  title: 'A paper on lamps',
  outline: [
    { title: 'Introduction', page: 0 },
    { title: 'Method', page: 3 },
    { title: 'Results', page: 8 },
  ],
  links: [
    { page: 0, to: 4 },
    { page: 4, to: 'https://example.org/lamps' },
  ],
});

async function openPaper(username: string, options = {}): Promise<Page> {
  const { key } = await nexus.person(username);
  const page = await chromium.open(options);
  await openLibrary(page, nexus, key);
  await drop(page, 'paper.pdf', 'application/pdf', PAPER);
  await page.getByRole('article').getByRole('link', { name: 'A paper on lamps' }).click();
  await page.getByText('Page 1 of 12').waitFor();
  return page;
}

test('a page is opened by its number, by the contents and by a link of the paper', async () => {
  const page = await openPaper('ada');
  await page.getByLabel('Page', { exact: true }).fill('10');
  await page.keyboard.press('Enter');
  await page.getByText('Page 10 of 12').waitFor();
  await page.getByLabel('Page', { exact: true }).fill('99');
  await page.keyboard.press('Enter');
  expect(await page.getByLabel('Page', { exact: true }).inputValue()).toBe('10');

  await page.getByRole('button', { name: 'Contents' }).click();
  const contents = page.getByRole('navigation', { name: 'Contents' });
  await expect.poll(() => contents.locator('[aria-current="true"]').innerText(), SOON).toBe('Results');
  await contents.getByRole('button', { name: 'Introduction' }).click();
  await page.getByText('Page 1 of 12').waitFor();
  await page.getByRole('button', { name: 'Go to page 5' }).click();
  await page.getByText('Page 5 of 12').waitFor();
  const link = page.getByRole('link', { name: 'https://example.org/lamps' });
  expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
  await expectAccessible(page);
});

test('the keys + and - zoom, and text is found on pages that are not drawn yet', async () => {
  const page = await openPaper('bea');
  await page.keyboard.press('+');
  await page.getByRole('button', { name: '125 %' }).waitFor();
  await page.keyboard.press('-');
  // The text is extracted while the paper can be read already.
  await expect
    .poll(async () => {
      await page.keyboard.press('Control+f');
      return page.getByRole('searchbox', { name: 'Find in document' }).count();
    }, SOON)
    .toBe(1);
  await page.keyboard.type('page 11 of');
  await page.getByText('1 of 1', { exact: true }).waitFor();
  await page.getByText('Page 11 of 12').waitFor();
  await expect
    .poll(() => page.evaluate(`[...(CSS.highlights.get('nexus-finding-here') ?? [])].join()`), SOON)
    .toBe('page 11 of');
});

test('the words stay above their picture when the window gets another width, and stay selected', async () => {
  const page = await openPaper('dora');
  const inPage = (expression: string) =>
    page.evaluate<number>(`(() => {
      const frame = document.querySelector('.pdf-page');
      const [canvas, words] = [frame.querySelector('canvas'), frame.querySelector('.pdf-text > span')];
      return ${expression};
    })()`);
  const width = () => inPage('frame.clientWidth');
  const sharpness = () => inPage('canvas.width / frame.clientWidth');
  const share = () => inPage('words.getBoundingClientRect().width / frame.clientWidth');
  await page.getByText('This is page 1 of the paper').waitFor();
  await expect.poll(sharpness, SOON).toBeCloseTo(1);
  const [widthBefore, shareBefore] = [await width(), await share()];
  await inPage('getSelection().selectAllChildren(words)');

  await page.setViewportSize({ width: 500, height: 800 });
  await expect.poll(width, SOON).toBeLessThan(widthBefore / 1.5);
  await expect.poll(share, SOON).toBeCloseTo(shareBefore);
  await expect.poll(sharpness, SOON).toBeCloseTo(1);
  expect(await page.evaluate('String(getSelection())')).toContain('This is page 1');
});

test('on a dark screen the paper is dark', async () => {
  const page = await openPaper('cleo', { colorScheme: 'dark', viewport: { width: 390, height: 844 } });
  const filter = `getComputedStyle(document.querySelector('.pdf-canvas')).filter`;
  await expect.poll(() => page.evaluate(filter), SOON).toContain('invert');
  await expectAccessible(page);
});
