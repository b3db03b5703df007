import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import type { Download, Page } from 'playwright-core';
import { expect } from 'vitest';

/** Signs in with an API key, without a page. The tests of the save page sign in with the form. */
export async function signIn(page: Page, nexus: { url: string }, key: string): Promise<void> {
  const answer = await page.request.post(`${nexus.url}/app/session`, { data: { api_key: key } });
  expect(answer.status()).toBe(200);
}

/** Signs in with an API key, and opens the library. */
export async function openLibrary(page: Page, nexus: { url: string }, key: string): Promise<void> {
  await signIn(page, nexus, key);
  await page.goto(`${nexus.url}/app/`);
  await page.getByRole('heading', { name: 'My library' }).waitFor();
}

/** Makes the side panel of a new browser tab open at the analysis. */
export const LEFT_AT_ANALYSIS =
  "sessionStorage['nexus.side-panel'] ??= JSON.stringify({ isOpen: false, tab: 'analysis' })";

/** Drops a file on the page. */
export async function drop(page: Page, name: string, type: string, content: Buffer): Promise<void> {
  const transfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    const bytes = Uint8Array.from(atob(${JSON.stringify(content.toString('base64'))}), (char) => char.charCodeAt(0));
    transfer.items.add(new File([bytes], ${JSON.stringify(name)}, { type: ${JSON.stringify(type)} }));
    return transfer;
  })()`);
  for (const event of ['dragenter', 'dragover', 'drop'])
    await page.dispatchEvent('body', event, { dataTransfer: transfer });
}

/** The text of a downloaded file. */
export async function contentOf(download: Download): Promise<string> {
  return text(await download.createReadStream());
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Expects that axe finds no serious or critical problems on the page. */
export async function expectAccessible(page: Page, look = ''): Promise<void> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  const found = (await page.evaluate(`axe.run(document, {
    resultTypes: ['violations'],
    // No rule reads style sheets.
    preload: { assets: ['media'] },
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  }).then(({ violations }) => violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ target, failureSummary }) =>
      target.join(' ') + ' ' + failureSummary.split('\\n').slice(1, 2).join(' ')).join(' | ')))`)) as string[];
  expect(found, `${page.url()} ${look}`).toEqual([]);
}

export async function expectToFit(page: Page, look: string): Promise<void> {
  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  expect(await page.evaluate(overflow), `${page.url()} ${look} is wider than the screen`).toBe(0);
}
