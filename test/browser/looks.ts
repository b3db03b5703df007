import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import type { Chromium } from './chromium.ts';

/** The directory of screenshots. */
export const OUT =
  process.env.SCREENSHOTS ?? fileURLToPath(new URL('../../docs/screenshots/', import.meta.url));

const desktop = { viewport: { width: 1440, height: 900 } };
const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

/** The screen sizes and colour schemes of screenshots. */
export const LOOKS = [
  { name: 'desktop-light', ...desktop, colorScheme: 'light' },
  { name: 'desktop-dark', ...desktop, colorScheme: 'dark' },
  { name: 'phone-light', ...phone, colorScheme: 'light' },
  { name: 'phone-dark', ...phone, colorScheme: 'dark' },
] as const;

/** The two most different screens. */
const BOTH = LOOKS.filter(({ name }) => name === 'desktop-light' || name === 'phone-dark');

/** Runs `look` on both screens, in parallel. */
export async function inBothLooks(
  chromium: Chromium,
  look: (page: Page, name: string) => Promise<void>,
): Promise<void> {
  await Promise.all(BOTH.map(async ({ name, ...screen }) => look(await chromium.open(screen), name)));
}

/** Resolves when the page is drawn and its colours have changed to the end. */
const SETTLED = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
  .then(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)))`;

/**
 * Runs `check` on the page that is open, as both screens show it. Faster than to open it twice; only for pages that look
 * the same with and without a touch screen.
 */
export async function inBothLooksOf(page: Page, check: (name: string) => Promise<void>): Promise<void> {
  for (const { name, viewport, colorScheme } of BOTH) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    await page.evaluate(SETTLED);
    await check(name);
  }
}
