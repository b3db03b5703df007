import { createHash } from 'node:crypto';
import { Failure } from '../../../contract/errors.ts';
import { PermanentError } from '../../../platform/work/retry-policy.ts';
import { LONGEST_URL } from '../saving/url.ts';
import type { Extracted } from './extractor-registry.ts';

/** A page as one address gives it. */
export interface FetchedPage extends Extracted {
  /** Where it leads to: what the page says is its own address, or where redirects ended. In canonical form. */
  leadsTo: string;
}

/** So many addresses are followed from one page to the next. */
const MOST_FOLLOWED = 3;

/**
 * Follows a page to the address that it names as its own, or that redirects lead to, and returns the page as that address
 * gives it. It stays where it was saved when that address cannot be confirmed.
 *
 * An address is believed only when it gives the same text to a request of its own, which carries nothing of the one
 * before. The address that somebody saved may hold a secret that opens more than its canonical address gives to everybody
 * else. What other savers of the canonical address get is always what it gave by itself. Texts must be equal: pages that
 * differ in a date or a counter stay two media, which costs a duplicate and discloses nothing.
 */
export async function followCanonical(
  saved: FetchedPage,
  fetchAlone: (url: string) => Promise<FetchedPage>,
): Promise<FetchedPage> {
  const content = contentOf(saved);
  const seen = new Set([saved.canonicalUrl]);
  let page = saved;
  while (!seen.has(page.leadsTo) && isSavable(page.leadsTo) && seen.size <= MOST_FOLLOWED) {
    seen.add(page.leadsTo);
    const next = await ifItCanBeRead(fetchAlone(page.leadsTo));
    if (!next || contentOf(next) !== content) break;
    page = next;
  }
  return page;
}

/** A page that cannot be read confirms nothing, whatever the reason. */
async function ifItCanBeRead(page: Promise<FetchedPage>): Promise<FetchedPage | undefined> {
  try {
    return await page;
  } catch (error) {
    if (error instanceof Failure || error instanceof PermanentError) return undefined;
    throw error;
  }
}

/** A scanned PDF has no text, so files are compared by their bytes. */
function contentOf({ kind, extraction, file }: FetchedPage): string {
  const hash = createHash('sha256').update(file ?? extraction.plain_text);
  return `${kind} ${hash.digest('hex')}`;
}

/** Whether somebody could have saved this address: a redirect may lead to one that is too long, or holds a password. */
function isSavable(url: string): boolean {
  const { username, password } = new URL(url);
  return username === '' && password === '' && Buffer.byteLength(url) <= LONGEST_URL;
}
