import { z } from 'zod';
import { mediaKind, processingStatus } from './media.ts';
import { readingProgress } from './reading.ts';
import { mode } from './roles.ts';
import { id, timestamp } from './wire.ts';

export const libraryExportQuery = z.object({
  format: z.enum(['json', 'html']).default('json'),
  mode: mode.default('PUBLIC'),
});
export type LibraryExportQuery = z.output<typeof libraryExportQuery>;

export const mediaExportQuery = z.object({
  format: z.enum(['md']).default('md'),
  mode: mode.default('PUBLIC'),
});

/** A fragment of a document. */
export const exportedText = z.object({
  title: z.string().nullable(),
  text: z.string(),
  t_start_ms: z.int().nullable(),
  t_end_ms: z.int().nullable(),
});
export type ExportedText = z.output<typeof exportedText>;

export const exportedDocument = z.object({
  id,
  kind: mediaKind,
  /** Null for uploads. */
  url: z.string().nullable(),
  /** The address as the exporting person typed it; null for what others saved. */
  requested_url: z.string().nullable(),
  title: z.string().nullable(),
  author: z.string().nullable(),
  description: z.string().nullable(),
  site: z.string().nullable(),
  language: z.string().nullable(),
  published: z.string().nullable(),
  word_count: z.int().nullable(),
  page_count: z.int().nullable(),
  processing_status: processingStatus,
  /** When it was added to the exported library. */
  added_at: timestamp,
  reading: readingProgress.nullable(),
  texts: z.array(exportedText),
  /** Whether a policy blocked its title, author, description and texts. */
  withheld: z.boolean(),
});
export type ExportedDocument = z.output<typeof exportedDocument>;

export const EXPORT_FORMAT = 'nexus-export';
export const EXPORT_VERSION = 1;

export const libraryExport = z.object({
  format: z.literal(EXPORT_FORMAT),
  version: z.literal(EXPORT_VERSION),
  exported_at: timestamp,
  mode,
  library: z.object({ id, name: z.string() }),
  documents: z.array(exportedDocument),
  /** The last field: an export that has it is complete. */
  document_count: z.int(),
});
