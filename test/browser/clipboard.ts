import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { transaction } from '../../src/platform/database/transaction.ts';
import { withMaintenance } from '../support/database.ts';

const CLIPBOARD_LOCK = 7_305_199;
const READ = 'navigator.clipboard.readText()';

/** Returns what an action copies. All pages of the run share one clipboard, so the tests use it one after the other. */
export async function copiedBy(page: Page, copy: () => Promise<unknown>): Promise<string> {
  return withMaintenance((admin) =>
    transaction(admin, async (tx) => {
      await tx`select pg_advisory_xact_lock(${CLIPBOARD_LOCK})`;
      await page.evaluate("navigator.clipboard.writeText('')");
      await copy();
      await expect.poll(() => page.evaluate(READ), { timeout: 20_000 }).not.toBe('');
      return page.evaluate<string>(READ);
    }),
  );
}
