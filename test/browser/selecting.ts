import type { Page } from 'playwright-core';
import { expect } from 'vitest';

interface Point {
  x: number;
  y: number;
}

/** Finds text on the page, also on a fixed page in its shadow root. Runs in the browser. */
const FIND = `(words, isEnd) => {
  const fixed = document.querySelector('.fixed-page');
  const root = fixed ? fixed.shadowRoot : document.querySelector('.prose, .pdf-pages, .transcript-lines');
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const index = node.data.indexOf(words);
    if (index >= 0) return { node, offset: index + (isEnd ? words.length : 0) };
  }
  throw new Error('The page has no ' + words);
}`;

/** Returns the point at which a pointer begins or ends a selection at the edge of words. */
function edgeOf(page: Page, words: string, side: 'start' | 'end'): Promise<Point> {
  return page.evaluate<Point>(`(() => {
    const isEnd = ${side === 'end'};
    const { node, offset } = (${FIND})(${JSON.stringify(words)}, isEnd);
    const range = document.createRange();
    range.setStart(node, isEnd ? offset - 1 : offset);
    range.setEnd(node, isEnd ? offset : offset + 1);
    const { left, right, top, bottom } = range.getBoundingClientRect();
    const style = getComputedStyle(node.parentElement);
    if (style.writingMode.startsWith('vertical')) return { x: (left + right) / 2, y: isEnd ? bottom - 1 : top + 1 };
    const atRight = isEnd !== (style.direction === 'rtl');
    return { x: atRight ? right - 0.5 : left + 0.5, y: (top + bottom) / 2 };
  })()`);
}

/** Scrolls to words, so that a pointer can reach them. */
async function scrollTo(page: Page, words: string): Promise<void> {
  await page.evaluate(`(() => {
    const { parentElement } = (${FIND})(${JSON.stringify(words)}, false).node;
    parentElement.scrollIntoView({ block: 'center', inline: 'center' });
    return document.fonts.ready.then(() => undefined);
  })()`);
  // Pictures and formulas may still move the text.
  let before: Point | undefined;
  await expect
    .poll(async () => {
      const [last, now] = [before, await edgeOf(page, words, 'start')];
      before = now;
      return last?.x === now.x && last.y === now.y;
    })
    .toBe(true);
}

/** Selects by dragging the mouse from the beginning of some words to the end of others. */
export async function drag(page: Page, from: string, to = from): Promise<void> {
  await scrollTo(page, from);
  const [start, end] = [await edgeOf(page, from, 'start'), await edgeOf(page, to, 'end')];
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move((start.x + end.x) / 2, (start.y + end.y) / 2);
  await page.mouse.move(end.x, end.y, { steps: 3 });
  await page.mouse.up();
}

/** Clicks on a word, several times for a double or triple click. */
export async function clickOn(page: Page, words: string, clickCount = 1): Promise<void> {
  await scrollTo(page, words);
  const { x, y } = await edgeOf(page, words, 'start');
  await page.mouse.click(x + 2, y, { clickCount });
}

/** Holds a finger on a word until the browser has selected it, and lifts the finger. */
export async function hold(page: Page, word: string): Promise<void> {
  await scrollTo(page, word);
  const { x, y } = await edgeOf(page, word, 'start');
  const devtools = await page.context().newCDPSession(page);
  // The touches of `Input.dispatchTouchEvent` are no long press, however long they last.
  const isFinger = (enabled: boolean) =>
    devtools.send('Emulation.setEmitTouchEventsForMouse', { enabled, configuration: 'mobile' });
  const finger = (type: 'mousePressed' | 'mouseReleased') =>
    devtools.send('Input.emulateTouchFromMouseEvent', {
      type,
      x: Math.round(x + 6),
      y: Math.round(y),
      button: 'left',
      clickCount: 1,
    });
  await isFinger(true);
  await finger('mousePressed');
  const selected = () => page.evaluate<string>('String(getSelection()).trim()');
  await expect.poll(selected, { timeout: 20_000 }).toBe(word);
  await finger('mouseReleased');
  await isFinger(false);
}
