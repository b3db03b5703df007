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

/** Runs `look` for the two most different screens, in parallel. */
export async function inBothLooks(
  chromium: Chromium,
  look: (page: Page, name: string) => Promise<void>,
): Promise<void> {
  const chosen = LOOKS.filter(({ name }) => name === 'desktop-light' || name === 'phone-dark');
  await Promise.all(chosen.map(async ({ name, ...screen }) => look(await chromium.open(screen), name)));
}
