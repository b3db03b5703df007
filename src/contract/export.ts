import { z } from 'zod';
import { highlight } from './highlights.ts';
import { mediaKind, processingStatus } from './media.ts';
import { mine } from './mine.ts';
import { readingProgress } from './reading.ts';
import { mode, modeParameter } from './roles.ts';
import { id, searchText, timestamp } from './wire.ts';

export const EXPORT_FORMATS = ['json', 'html', 'md', 'readwise', 'jsonld'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const libraryExportQuery = z.object({
  format: z
    .enum(EXPORT_FORMATS)
    .default('json')
    .describe(
      '`html` is a bookmark file, `md` a ZIP with a Markdown file for each item, `readwise` a CSV that Readwise imports, ' +
        '`jsonld` W3C Web Annotations.',
    ),
  mode: modeParameter,
  q: searchText.optional(),
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

export const exportedMine = mine.extend({
  title: z.string().nullable().describe("The person's own title."),
  imported_title: z
    .string()
    .nullable()
    .describe('The title that another program had, which is shown while the page has none.'),
});

export const exportedHighlight = highlight.pick({
  id: true,
  target: true,
  pdf: true,
  color: true,
  note: true,
  is_placed: true,
  created_at: true,
  updated_at: true,
});

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
  mine: exportedMine,
  highlights: z.array(exportedHighlight).describe("The caller's own, in the order of the text."),
  texts: z.array(exportedText),
  withheld: z
    .boolean()
    .describe('Whether a policy removed titles, author, description, note, highlights and texts.'),
});

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
