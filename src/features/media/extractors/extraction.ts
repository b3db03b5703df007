import { Failure, type FailureCode } from '../../../contract/errors.ts';

/** A fragment of a media. Rows have an id in addition. */
export interface Fragment {
  idx: number;
  title: string | null;
  html_sanitized: string;
  canonical_text: string;
  t_start_ms: number | null;
  t_end_ms: number | null;
}

export interface Metadata {
  author: string | null;
  site: string | null;
  language: string | null;
  /** ISO 8601, as precise as the source. */
  published: string | null;
  description: string | null;
  word_count: number;
  reading_minutes: number;
  /** The URL of a remote image, or the name of an asset. */
  cover: string | null;
}

/** A file of an extraction, such as an image of a book. */
export interface Asset {
  name: string;
  content_type: string;
  bytes: Uint8Array;
}

export interface OutlineItem {
  title: string;
  /** The index of its fragment; null when it leads nowhere. */
  fragment_idx: number | null;
  depth: number;
}

export interface Extraction {
  title: string | null;
  metadata: Metadata;
  fragments: Fragment[];
  /** Joins all canonical texts with line feeds. */
  plain_text: string;
  outline: OutlineItem[];
  assets: Asset[];
}

/** The title and metadata of a media that could not be extracted. */
export type Known = Pick<Extraction, 'title'> & { metadata: Partial<Metadata> };

export class ExtractionFailure extends Failure {
  readonly known: Known | undefined;

  constructor(code: FailureCode, message: string, options: ErrorOptions & { known?: Known } = {}) {
    super(code, message, options);
    this.name = 'ExtractionFailure';
    this.known = options.known;
  }
}

export function plainText(fragments: Pick<Fragment, 'canonical_text'>[]): string {
  return fragments
    .map(({ canonical_text }) => canonical_text)
    .filter((text) => text !== '')
    .join('\n');
}
