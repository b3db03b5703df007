import type { Span } from './queries.ts';

/** A finding, or a group of findings, that is marked in the text. */
export interface MarkedFinding {
  key: string;
  label: string;
  spans: readonly Span[];
}
