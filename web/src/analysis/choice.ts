import type { Span } from './queries.ts';

/** Something that was found, and that is to be seen in the text. */
export interface Choice {
  key: string;
  label: string;
  spans: readonly Span[];
}
