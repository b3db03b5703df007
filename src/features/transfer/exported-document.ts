import type { z } from 'zod';
import type { exportedDocument, exportedHighlight } from '../../contract/export.ts';

/** A document on the wire. */
type WireDocument = z.input<typeof exportedDocument>;
export type WireHighlight = z.input<typeof exportedHighlight>;

/** A document before policies are applied. Its highlights and texts are JSON as the database wrote it. */
export interface UnjudgedDocument {
  document: Omit<WireDocument, 'mine' | 'highlights' | 'texts' | 'withheld'>;
  mine: WireDocument['mine'];
  /** The title that the person sees, if it is not the common one. */
  shown_title: string | null;
  highlights: string;
  texts: string;
}

/** A document as the policies allow. */
export interface JudgedDocument extends WireDocument {
  shown_title: string | null;
}
