import { createRequire } from 'node:module';
import path from 'node:path';
import { canonicalLines, canonicalText } from '../text/canonical-text.ts';
import { escapeText } from '../text/markup.ts';
import { type Extraction, ExtractionFailure, type OutlineItem, plainText } from './extraction.ts';
import { countWords, readingMinutes } from './words.ts';

export interface PdfTask {
  bytes: Uint8Array;
}

export interface PdfExtraction extends Extraction {
  page_count: number;
}

/** The most pages of a document. */
const MOST_PAGES = 10_000;
const MOST_OUTLINE_ITEMS = 5000;

type PdfJs = typeof import('pdfjs-dist/legacy/build/pdf.mjs');
type PdfDocument = Awaited<ReturnType<PdfJs['getDocument']>['promise']>;

export async function extractPdf({ bytes }: PdfTask): Promise<PdfExtraction> {
  const document = await openDocument(bytes);
  const pageCount = document.numPages;
  if (pageCount > MOST_PAGES) {
    throw new ExtractionFailure('E_PDF_INVALID', `The PDF has more than ${MOST_PAGES} pages.`);
  }
  const fragments = [];
  for (let number = 1; number <= pageCount; number++) {
    const lines = await pageLines(document, number);
    const html = lines.length > 0 ? `<p>${lines.map(escapeText).join('<br>')}</p>` : '';
    fragments.push({
      idx: number - 1,
      title: null,
      html_sanitized: html,
      canonical_text: canonicalText(html),
      t_start_ms: null,
      t_end_ms: null,
    });
  }
  const text = plainText(fragments);
  const words = countWords(text);
  const { title, author, published, language } = await describe(document);
  return {
    title,
    metadata: {
      author,
      site: null,
      language,
      published,
      description: null,
      word_count: words,
      reading_minutes: readingMinutes(words),
      cover: null,
    },
    fragments,
    plain_text: text,
    outline: await outlineOf(document),
    assets: [],
    page_count: pageCount,
  };
}

async function openDocument(bytes: Uint8Array): Promise<PdfDocument> {
  const { getDocument, VerbosityLevel } = await loadPdfJs();
  const data = path.dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
  try {
    return await getDocument({
      data: bytes,
      // Character maps, for East Asian fonts that do not contain their own.
      cMapUrl: `${path.join(data, 'cmaps')}/`,
      cMapPacked: true,
      standardFontDataUrl: `${path.join(data, 'standard_fonts')}/`,
      isEvalSupported: false,
      disableFontFace: true,
      useSystemFonts: false,
      verbosity: VerbosityLevel.ERRORS,
    }).promise;
  } catch (error) {
    if ((error as Error).name === 'PasswordException') {
      throw new ExtractionFailure(
        'E_PDF_PASSWORD_REQUIRED',
        'The PDF opens only with a password. Upload a copy without one.',
        { cause: error },
      );
    }
    throw new ExtractionFailure('E_PDF_INVALID', 'The file is damaged, or is not a PDF.', { cause: error });
  }
}

/** The library looks for drawing APIs of browsers when it is loaded. Text extraction needs none of them. */
async function loadPdfJs(): Promise<PdfJs> {
  const globals = globalThis as Record<string, unknown>;
  for (const name of ['DOMMatrix', 'ImageData', 'Path2D']) globals[name] ??= class {};
  return import('pdfjs-dist/legacy/build/pdf.mjs');
}

async function pageLines(document: PdfDocument, number: number): Promise<string[]> {
  try {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    page.cleanup();
    const text = items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '')).join('');
    const lines = canonicalLines(text);
    return lines === '' ? [] : lines.split('\n');
  } catch (error) {
    throw new ExtractionFailure('E_PDF_INVALID', `Page ${number} of the PDF is damaged.`, { cause: error });
  }
}

async function describe(document: PdfDocument) {
  const { info } = (await document.getMetadata().catch(() => ({ info: {} }))) as {
    info: Record<string, unknown>;
  };
  const text = (name: string) => {
    const value = info[name];
    return (typeof value === 'string' && canonicalLines(value).slice(0, 1000)) || null;
  };
  const [, year, month = '01', day = '01'] =
    /^D:(\d{4})(\d{2})?(\d{2})?/.exec(text('CreationDate') ?? '') ?? [];
  const language = text('Language');
  return {
    title: text('Title'),
    author: text('Author'),
    published: year ? `${year}-${month}-${day}` : null,
    language: language && /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(language) ? language : null,
  };
}

interface OutlineNode {
  title: string;
  dest: string | unknown[] | null;
  items: OutlineNode[];
}

/** A PDF with a broken outline is read without it. */
async function outlineOf(document: PdfDocument): Promise<OutlineItem[]> {
  const roots = ((await document.getOutline().catch(() => null)) ?? []) as OutlineNode[];
  const items: OutlineItem[] = [];
  const stack = roots.map((node) => ({ node, depth: 0 })).reverse();
  for (let next = stack.pop(); next && items.length < MOST_OUTLINE_ITEMS; next = stack.pop()) {
    const { node, depth } = next;
    const title = canonicalLines(node.title).replaceAll('\n', ' ');
    if (title) items.push({ title, fragment_idx: await pageOf(document, node.dest), depth });
    for (const child of node.items.toReversed()) stack.push({ node: child, depth: depth + 1 });
  }
  return items;
}

/** An entry without a target is kept as a heading. */
async function pageOf(document: PdfDocument, destination: OutlineNode['dest']): Promise<number | null> {
  try {
    const explicit =
      typeof destination === 'string' ? await document.getDestination(destination) : destination;
    const reference = explicit?.[0];
    if (typeof reference === 'number') return reference;
    return reference
      ? await document.getPageIndex(reference as Parameters<PdfDocument['getPageIndex']>[0])
      : null;
  } catch {
    return null;
  }
}
