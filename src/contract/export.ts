import { z } from 'zod';
import { mediaKind, processingStatus } from './media.ts';
import { readingProgress } from './reading.ts';
import { mode, modeParameter } from './roles.ts';
import { id, timestamp } from './wire.ts';

export const libraryExportQuery = z.object({
  format: z.enum(['json', 'html']).default('json').describe('`html` is a bookmark file.'),
  mode: modeParameter,
});
export type LibraryExportQuery = z.output<typeof libraryExportQuery>;

export const mediaExportQuery = z.object({
  format: z.enum(['md']).default('md').describe('Markdown.'),
  mode: modeParameter,
});

/** The text of one fragment: an article, a page, a chapter, or some seconds of a transcript. */
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
  url: z.string().nullable().describe('Null for an uploaded file.'),
  requested_url: z
    .string()
    .nullable()
    .describe('The address as the exporting person entered it; null when somebody else saved the document.'),
  title: z.string().nullable(),
  author: z.string().nullable(),
  description: z.string().nullable(),
  site: z.string().nullable(),
  language: z.string().nullable(),
  published: z.string().nullable(),
  word_count: z.int().nullable(),
  page_count: z.int().nullable(),
  processing_status: processingStatus,
  added_at: timestamp.describe('When it was added to the exported library.'),
  reading: readingProgress.nullable(),
  texts: z.array(exportedText),
  withheld: z.boolean().describe('Whether a policy removed title, author, description and texts.'),
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
  document_count: z.int().describe('Written last: an export without it is incomplete.'),
});
