import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const READ = 'navigator.clipboard.readText()';

/** Returns what an action copies. */
export async function copiedBy(page: Page, copy: () => Promise<unknown>): Promise<string> {
  await page.evaluate("navigator.clipboard.writeText('')");
  await copy();
  await expect.poll(() => page.evaluate(READ), { timeout: 20_000 }).not.toBe('');
  return page.evaluate<string>(READ);
}
