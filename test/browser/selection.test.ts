import { expect, test, vi } from 'vitest';
import { makeEpub, PNG } from '../support/fixtures/epub.ts';
import { makePdf } from '../support/fixtures/pdf.ts';
import { copiedBy } from './clipboard.ts';
import { bar, PHONE, painted, SOON, useMarking } from './marking.ts';
import { useNexus } from './nexus.ts';
import { seedVideo } from './seed.ts';
import { clickOn, drag, hold } from './selecting.ts';

const FILLER = `<p>${'There is more to say about the harbour, the boats and the winter. '.repeat(6)}</p>`;
const FORMULA =
  '<math alttext="a^2+b^2"><msup><mi>a</mi><mn>2</mn></msup><mo>+</mo><msup><mi>b</mi><mn>2</mn></msup></math>';
// Letters with combining accents, as some programs write them, emoji of several code points, and mathematical letters.
const MARKS = 'Cafe\u0301 nai\u0308ve \u{1F469}\u200D\u{1F680} and \u{1D49C} zone';
const ARTICLE = `<!doctype html><html lang="en"><title>Ice</title><article><h1>Ice</h1>${FILLER}
<p>The harbour froze. It weighed ${FORMULA} tons.</p>
<figure><img src="/ice.png" alt="A frozen boat" width="300" height="40"><figcaption>The boat in March.</figcaption></figure>
<p>After the picture stands <a href="https://example.com/">a long link</a> here.</p>
<pre><code>const ice = 'cold';
  return ice;</code></pre>
<table><tr><td>January</td><td>very cold</td></tr><tr><td>April</td><td>mild</td></tr></table>
<p dir="rtl">الميناء كان باردا في الشتاء.</p>
<p>${MARKS} ends.</p>${FILLER.repeat(6)}</article></html>`;
const REPORT = makePdf({
  pages: [
    ['The first page', 'tells of a road.'],
    ['The second page', 'tells of bridges.'],
  ],
});
const VERTICAL = makeEpub({
  title: '縦書きの本',
  language: 'ja',
  spine: 'page-progression-direction="rtl"',
  chapters: [1, 2].map((number) => ({
    file: `${number}.xhtml`,
    title: `第${number}章`,
    head: '<style>html { writing-mode: vertical-rl }</style>',
    body: `<h1>第${number}章</h1>${'<p>港の時計は、いつも潮より少し遅れていた。</p>'.repeat(12)}<p>西暦の提灯は明るい。</p><p>次の段落も読む。</p>`,
  })),
});
const PICTURES = makeEpub({
  title: 'A picture book',
  metadata: '<meta property="rendition:layout">pre-paginated</meta>',
  chapters: [1, 2].map((number) => ({
    file: `${number}.xhtml`,
    title: `Page ${number}`,
    head: '<meta name="viewport" content="width=1200, height=1600"/><style>div { position: absolute; left: 100px; font-size: 60px }</style>',
    body: `<div style="top: 500px">Here is picture ${number}, says the fox.</div><div style="top: 900px">The <a href="2.xhtml">owl</a> agrees.</div>`,
  })),
});

const nexus = useNexus((request, response) => {
  const [type, body] = request.url?.endsWith('.pdf')
    ? ['application/pdf', REPORT]
    : request.url?.endsWith('.png')
      ? ['image/png', PNG]
      : ['text/html; charset=utf-8', ARTICLE];
  response.setHeader('content-type', type);
  response.end(body);
});
const { reader, open, stored, quotes, mark } = useMarking(nexus);

async function save(path: string): Promise<string> {
  const url = `${nexus.site.url}${path}`;
  const { body } = await nexus.call('POST', '/api/v1/media', { key: reader().key, body: { url } });
  const { media_id } = body.data;
  await vi.waitFor(async () => {
    const media = await nexus.call('GET', `/api/v1/media/${media_id}`, { key: reader().key });
    expect(media.body.data.capabilities.can_read).toBe(true);
  }, 30_000);
  return media_id;
}

test('the mouse selects formulas, pictures, links, code, cells and letters of several code points', async () => {
  const id = await save('/ice');
  const page = await open(id);
  const marked: string[] = [];
  const dragged = async (from: string, to: string, exact: string) => {
    await drag(page, from, to);
    await mark(page, id, exact);
    marked.push(exact);
  };
  await dragged('It weighed', 'tons', 'It weighed a^2 + b^2 tons');
  await dragged('in March', 'After the', 'in March.\nAfter the');
  expect(await copiedBy(page, () => page.keyboard.press('ControlOrMeta+c'))).toMatch(
    /^in March\.\s+After the$/,
  );
  await dragged('stands', 'long', 'stands a long');
  await dragged('ice =', 'return', "ice = 'cold';\n  return");
  await dragged('very', 'April', 'very cold\nApril');
  await dragged('كان', 'باردا', 'كان باردا');
  await dragged('nai\u0308ve', '\u{1D49C}', 'naïve \u{1F469}\u200D\u{1F680} and \u{1D49C}');
  // A double click selects a word, a triple click a paragraph.
  await clickOn(page, 'weighed', 2);
  await mark(page, id, 'weighed');
  await clickOn(page, 'stands', 3);
  await mark(page, id, 'After the picture stands a long link here.');
  await expect.poll(() => painted(page), SOON).toHaveLength(marked.length + 2);

  await page.reload();
  await expect.poll(() => painted(page), SOON).toHaveLength(marked.length + 2);
  const shown = (await painted(page)).map((text) => text.normalize().replaceAll(/\s/g, ''));
  for (const exact of marked.slice(2)) expect(shown).toContain(exact.replaceAll(/\s/g, ''));
});

test('the keyboard selects and highlights, and copies', async () => {
  const id = await nexus.uploadBook(
    reader().key,
    makeEpub({
      title: 'Two',
      chapters: [1, 2].map((number) => ({
        file: `${number}.xhtml`,
        title: `Chapter ${number}`,
        body: `<h1>Chapter ${number}</h1><p>The harbour froze.</p>`,
      })),
    }),
  );
  const page = await open(id);
  await clickOn(page, 'harbour', 2);
  await page.keyboard.press('Shift+Control+ArrowRight');
  await page.keyboard.press('Shift+ArrowRight');
  await bar(page).waitFor();
  const exact = (await copiedBy(page, () => page.keyboard.press('ControlOrMeta+c'))).trim();
  expect(exact).toMatch(/^harbour froze/);
  await mark(page, id, exact);
  await page.keyboard.press('ControlOrMeta+a');
  await mark(page, id, 'Chapter 1\nThe harbour froze.');
  // The keys that extend the selection do not turn to the next chapter.
  expect(await page.getByText('1 of 2').isVisible()).toBe(true);
});

test('vertical text is highlighted, and the bar is beside it', async () => {
  const id = await nexus.uploadBook(reader().key, VERTICAL);
  const page = await open(id);
  await drag(page, '提灯', '次の');
  await mark(page, id, '提灯は明るい。\n次の');
  const box = await bar(page).boundingBox();
  expect(box && box.x >= 0 && box.x + box.width <= 1280 && box.y >= 0 && box.y + box.height <= 800).toBe(
    true,
  );
  await page.reload();
  await expect.poll(() => painted(page), SOON).toEqual(['提灯は明るい。次の']);
});

test('the text of a fixed page is highlighted, and a click opens it', async () => {
  const id = await nexus.uploadBook(reader().key, PICTURES);
  const page = await open(id);
  await drag(page, 'picture 1', 'The ');
  const copy = bar(page).getByRole('button', { name: 'Copy', exact: true });
  expect(await copiedBy(page, () => copy.click())).toMatch(/^picture 1, says the fox\.\s*The ?$/);
  await mark(page, id, 'picture 1, says the fox.\nThe');
  // The bar does not stay when the page is turned.
  await page.keyboard.press('ArrowRight');
  await page.locator('.fixed-page').getByText('Here is picture 2').waitFor();
  await bar(page).waitFor({ state: 'detached' });
  // The end of a book offers to archive it.
  await page.getByRole('button', { name: 'Archive' }).click();
  await page.getByRole('button', { name: 'Unarchive' }).waitFor();
  await page.keyboard.press('ArrowLeft');
  await page.locator('.fixed-page').getByText('Here is picture 1').waitFor();
  await page.reload();
  await expect.poll(() => painted(page), SOON).toEqual(['picture 1, says the fox.The']);
  await clickOn(page, 'says the fox');
  await page.locator('.highlight-card[data-current="true"]').getByText('picture 1, says').waitFor();
});

test('a selection over several lines of a transcript is one highlight', async () => {
  const [owner] = await nexus.database.sql<{ id: string; default_library_id: string }[]>`
    select owner_user_id as id, id as default_library_id
    from libraries where owner_user_id = ${reader().id} and is_default`;
  if (!owner) throw new Error('Everybody has a default library.');
  const id = await seedVideo(nexus.database.sql, owner);
  const page = await open(id);
  await drag(page, 'ine 0', 'Line 2');
  const copy = bar(page).getByRole('button', { name: 'Copy', exact: true });
  expect(await copiedBy(page, () => copy.click())).toMatch(/^ine 0\s+Line 1\s+Line 2$/);
  await mark(page, id, 'ine 0\nLine 1\nLine 2');
  expect(await stored(id)).toMatchObject([
    { target: { fragment_idx: 0, selector: [{ start: 1, end: 20 }, {}] } },
  ]);
  await page.reload();
  await expect.poll(() => painted(page), SOON).toEqual(['ine 0', 'Line 1', 'Line 2']);
  // A click on the highlight opens it, and does not play.
  await clickOn(page, 'Line 1');
  await page.locator('.highlight-card[data-current="true"]').getByText('Line 1').waitFor();
  expect(await page.locator('iframe').count()).toBe(0);
});

/** The boxes of the painted passages of a PDF, in points from the lower left corner of their pages. */
const BOXES = `[...CSS.highlights.get('nexus-highlight-pink')].map((range) => {
  const page = range.startContainer.parentElement.closest('.pdf-page');
  const scale = Number(getComputedStyle(page.querySelector('.pdf-text')).getPropertyValue('--total-scale-factor'));
  const [box, frame] = [range.getBoundingClientRect(), page.getBoundingClientRect()];
  const sides = [box.left - frame.left, frame.bottom - box.bottom, box.right - frame.left, frame.bottom - box.top];
  return sides.map((side) => side / scale);
})`;

test('a selection over two pages of a PDF is a highlight on each, with rectangles where it is painted', async () => {
  const id = await save('/report.pdf');
  const page = await open(id, { viewport: { width: 700, height: 1600 } });
  await page.getByText('tells of bridges').waitFor();
  await drag(page, 'tells of a', 'The second');
  await bar(page).getByRole('button', { name: 'Highlight in pink' }).click();
  await expect.poll(() => quotes(id), SOON).toEqual(['tells of a road.', 'The second']);
  for (const zoom of ['100 %', '125 %']) {
    await page.getByText(zoom).waitFor();
    await expect.poll(() => painted(page, 'pink'), SOON).toEqual(['tells of a road.', 'The second']);
    const rects = (await stored(id)).map(({ pdf }) => pdf?.rects[0] ?? []);
    const distance = async () => {
      const boxes = (await page.evaluate<number[][]>(BOXES)).flat();
      return Math.max(...rects.flat().map((one, index) => Math.abs(one - (boxes[index] ?? 0))));
    };
    await expect.poll(distance, SOON).toBeLessThan(2);
    if (zoom === '100 %') await page.getByRole('button', { name: 'Zoom in' }).click();
  }
});

test('a finger selects a word, and highlights it', async () => {
  const id = await save('/touched');
  const page = await open(id, PHONE);
  await hold(page, 'weighed');
  await bar(page).waitFor();
  expect(await page.evaluate('String(getSelection())')).toBe('weighed');
  await bar(page).getByRole('button', { name: 'Highlight in blue' }).tap();
  await expect.poll(() => quotes(id), SOON).toEqual(['weighed']);
  await expect.poll(() => painted(page, 'blue'), SOON).toEqual(['weighed']);
});
