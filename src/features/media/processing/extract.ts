import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { Failure } from '../../../contract/errors.ts';
import type { MediaKind } from '../../../contract/media.ts';
import type { Storage } from '../../../platform/storage/storage.ts';
import { PermanentError } from '../../../platform/work/retry-policy.ts';
import type { Extraction } from '../extractors/extraction.ts';
import type { Extractors } from '../extractors/extractors.ts';
import { assetPath, imagePath } from '../files/asset-paths.ts';
import { canonicalUrl, LONGEST_URL } from '../saving/url.ts';
import type { MediaSource } from '../store.ts';

/** The result of an extraction: the readable document, and facts about the media itself. */
export interface Extracted {
  kind: MediaKind;
  extraction: Extraction & { page_count?: number };
  /** The address that this was fetched from; null for an uploaded file and for a video. */
  canonicalUrl: string | null;
  /** The PDF that was found at the address of a page. */
  file?: Buffer;
}

interface FetchedPage extends Extracted {
  /** The address that the page declares as its own, or where redirects ended. In canonical form. */
  leadsTo: string;
}

type Extract = (source: MediaSource, signal: AbortSignal) => Promise<Extracted>;

/** The extractors by kind. A media of a kind that is not here stays as it was saved, and is never marked failed. */
export type ExtractorRegistry = ReadonlyMap<MediaKind, Extract>;

/** The maximum number of addresses that are followed from one page to the next. */
const MOST_FOLLOWED = 3;

/** Returns the extractors of Nexus, each with its source: an address, or a stored file. */
export function createRegistry(extractors: Extractors, storage: Storage): ExtractorRegistry {
  async function readFile({ file_path }: MediaSource): Promise<Uint8Array> {
    const stored = file_path === null ? undefined : await storage.get(file_path);
    if (!stored)
      throw new PermanentError('E_STORAGE_GONE', 'The file is not there any more. Upload it again.');
    return buffer(stored.content);
  }

  async function fetchPage(url: string, mediaId: string, signal: AbortSignal): Promise<FetchedPage> {
    const paths = { imagePath: imagePath(), assetPath: assetPath(mediaId) };
    const found = await extractors.webArticle({ url, ...paths, signal });
    const declared = found.kind === 'web_article' ? found.extraction.canonical_url : null;
    return { ...found, canonicalUrl: url, leadsTo: declared ?? canonicalUrl(new URL(found.url)) };
  }

  /** Fetches the canonical address, not the one that somebody typed, which must not influence what others read. */
  const webArticle: Extract = async ({ id, canonical_url }, signal) => {
    const saved = await fetchPage(canonical_url ?? '', id, signal);
    return followCanonical(saved, (url) => fetchPage(url, id, signal));
  };

  const fromFile =
    (kind: 'pdf' | 'epub'): Extract =>
    async (source, signal) => {
      // A PDF that was found at an address is fetched from there again when its file was never stored.
      if (source.file_path === null && source.canonical_url !== null) return webArticle(source, signal);
      const bytes = await readFile(source);
      const extraction =
        kind === 'pdf'
          ? await extractors.pdf({ bytes, signal })
          : await extractors.epub({ bytes, assetPath: assetPath(source.id), signal });
      return { kind, extraction, canonicalUrl: null };
    };

  const video: Extract = async ({ provider_id }, signal) => {
    if (provider_id === null) {
      throw new PermanentError('E_UNSUPPORTED_CONTENT', 'Nexus reads transcripts of videos at YouTube only.');
    }
    const extraction = await extractors.video({ videoId: provider_id, signal });
    return { kind: 'video', extraction, canonicalUrl: null };
  };

  return new Map<MediaKind, Extract>([
    ['web_article', webArticle],
    ['pdf', fromFile('pdf')],
    ['epub', fromFile('epub')],
    ['video', video],
  ]);
}

/**
 * Follows a page to the address that it names as its own, or that redirects lead to, and returns the page as that address
 * gives it. It stays where it was saved when that address cannot be confirmed.
 *
 * An address is trusted only when it returns the same text to a separate request. The address that somebody saved may
 * contain a secret that opens more than the canonical address shows to everybody, so other people get only what the
 * canonical address itself returned. Texts must be equal: pages that differ in a date or a counter stay two media, which
 * costs a duplicate and discloses nothing.
 */
async function followCanonical(saved: FetchedPage, fetchAlone: (url: string) => Promise<FetchedPage>) {
  const content = contentOf(saved);
  const seen = new Set([saved.canonicalUrl]);
  let page = saved;
  while (!seen.has(page.leadsTo) && isSavable(page.leadsTo) && seen.size <= MOST_FOLLOWED) {
    seen.add(page.leadsTo);
    const next = await ifReadable(fetchAlone(page.leadsTo));
    if (!next || contentOf(next) !== content) break;
    page = next;
  }
  return page;
}

/** Returns undefined for a page that cannot be read: it confirms nothing. */
async function ifReadable(page: Promise<FetchedPage>): Promise<FetchedPage | undefined> {
  try {
    return await page;
  } catch (error) {
    if (error instanceof Failure || error instanceof PermanentError) return undefined;
    throw error;
  }
}

/** Returns what two pages are compared by. A scanned PDF has no text, so files are compared by their bytes. */
function contentOf({ kind, extraction, file }: FetchedPage): string {
  const hash = createHash('sha256').update(file ?? extraction.plain_text);
  return `${kind} ${hash.digest('hex')}`;
}

/** Whether somebody could have saved this address: a redirect may lead to one that is too long or has a password. */
function isSavable(url: string): boolean {
  const { username, password } = new URL(url);
  return username === '' && password === '' && Buffer.byteLength(url) <= LONGEST_URL;
}
