import type { MediaKind } from '../../../contract/media.ts';
import type { Extraction } from '../extractors/extraction.ts';
import type { MediaSource } from '../store.ts';

/** What became of a source: what can be read, and what turned out about the media itself. */
export interface Extracted {
  kind: MediaKind;
  extraction: Extraction & { page_count?: number };
  /** The address that this was fetched from; null for a file that was uploaded, and for a video. */
  canonicalUrl: string | null;
  /** The file that lay where a page was expected. */
  file?: Buffer;
}

export type Extract = (source: MediaSource, signal: AbortSignal) => Promise<Extracted>;

/** Which kinds can be extracted. A kind that is not here stays as it was saved, and is never marked failed. */
export type ExtractorRegistry = ReadonlyMap<MediaKind, Extract>;
