import { buffer } from 'node:stream/consumers';
import type { MediaKind } from '../../../contract/media.ts';
import type { Storage } from '../../../platform/storage/storage.ts';
import { PermanentError } from '../../../platform/work/retry-policy.ts';
import type { Extractors } from '../extractors/extractors.ts';
import { assetPath, imagePath } from '../lists/media-row.ts';
import { canonicalUrl } from '../saving/url.ts';
import type { MediaSource } from '../store.ts';
import type { Extract, ExtractorRegistry } from './extractor-registry.ts';
import { type FetchedPage, followCanonical } from './follow-canonical.ts';

/** The extractors that Nexus comes with, and where each finds its source. */
export function createRegistry(extractors: Extractors, storage: Storage): ExtractorRegistry {
  async function readFile({ file_path }: MediaSource): Promise<Uint8Array> {
    const stored = file_path === null ? undefined : await storage.get(file_path);
    if (!stored)
      throw new PermanentError('E_STORAGE_GONE', 'The file is not there any more. Upload it again.');
    return buffer(stored.content);
  }

  async function fetchPage(url: string, signal: AbortSignal): Promise<FetchedPage> {
    const found = await extractors.webArticle({ url, imagePath: imagePath(), signal });
    const reached = canonicalUrl(new URL(found.url));
    if (found.kind === 'pdf') {
      return {
        kind: 'pdf',
        extraction: found.extraction,
        canonicalUrl: url,
        file: found.file,
        leadsTo: reached,
      };
    }
    const { extraction } = found;
    const leadsTo = extraction.canonical_url ?? reached;
    return { kind: 'web_article', extraction, canonicalUrl: url, leadsTo };
  }

  /** The canonical address is fetched, never the spelling of one saver: nothing of it may shape what others read. */
  const webArticle: Extract = async ({ canonical_url }, signal) => {
    const saved = await fetchPage(canonical_url ?? '', signal);
    return followCanonical(saved, (url) => fetchPage(url, signal));
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
