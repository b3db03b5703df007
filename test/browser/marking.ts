import type { Page } from 'playwright-core';
import { beforeAll, expect } from 'vitest';
import { useChromium } from './chromium.ts';
import type { RunningNexus } from './nexus.ts';
import { signIn } from './person.ts';

export const SOON = { timeout: 20_000 };
export const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

export const bar = (page: Page) => page.getByRole('toolbar', { name: 'Selected text' });
/** The texts that are painted in a colour, on the screen or not. */
export const painted = (page: Page, color = 'yellow') =>
  page.evaluate<string[]>(`[...(CSS.highlights.get('nexus-highlight-${color}') ?? [])].map(String)`);

interface Stored {
  id: string;
  pdf: { page: number; rects: number[][] } | null;
  target: { fragment_idx: number; selector: { exact: string; start: number; end: number }[] };
}

/** A person who reads and highlights in the browser. */
export function useMarking(nexus: RunningNexus) {
  const chromium = useChromium();
  let ana: { id: string; key: string } | undefined;
  const reader = () => {
    if (!ana) throw new Error('The reader is created before the first test.');
    return ana;
  };
  beforeAll(async () => {
    ana = await nexus.person('ana');
  });

  async function stored(mediaId: string): Promise<Stored[]> {
    const path = `/api/v1/media/${mediaId}/highlights`;
    return (await nexus.call('GET', path, { key: reader().key })).body.data;
  }
  const quotes = async (mediaId: string) =>
    (await stored(mediaId)).map(({ target }) => target.selector[1]?.exact);

  return {
    reader,
    stored,
    quotes,

    async open(mediaId: string, options: object = {}): Promise<Page> {
      const page = await chromium.open(options);
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await signIn(page, nexus, reader().key);
      await page.goto(`${nexus.url}/app/read/${mediaId}`);
      await page.locator('.prose p, .pdf-text > span, .transcript-text, .fixed-page a').first().waitFor();
      return page;
    },

    /** Highlights the selection with the keyboard, and waits until the server has its quote. */
    async mark(page: Page, mediaId: string, exact: string): Promise<void> {
      await bar(page).waitFor();
      await page.keyboard.press('h');
      const spaced = (text = '') => text.replaceAll(/\s+/g, ' ');
      await expect.poll(async () => (await quotes(mediaId)).map(spaced), SOON).toContain(spaced(exact));
    },
  };
}
