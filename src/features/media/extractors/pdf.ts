import { createRequire } from 'node:module';
import path from 'node:path';
import { canonicalLine, canonicalLines } from '../text/canonical-text.ts';
import { escapeText } from '../text/markup.ts';
import { loadCanvas } from './canvas.ts';
import { ExtractionFailure, languageTag, type OutlineItem, toExtraction, toFragment } from './extraction.ts';
import {
  isUsefulTitle,
  layOut,
  type PageLayout,
  paragraphsOf,
  type TextItem,
  titleOf,
  withoutMargins,
} from './pdf-layout.ts';

const MAX_PAGES = 10_000;
const MAX_OUTLINE_ITEMS = 5000;

type PdfJs = typeof import('pdfjs-dist/legacy/build/pdf.mjs');
type PdfDocument = Awaited<ReturnType<PdfJs['getDocument']>['promise']>;

export async function extractPdf({ bytes }: { bytes: Uint8Array }) {
  const document = await openDocument(bytes);
  const pageCount = document.numPages;
  if (pageCount > MAX_PAGES) {
    throw new ExtractionFailure('E_PDF_INVALID', `The PDF has more than ${MAX_PAGES} pages.`);
  }
  const layouts: PageLayout[] = [];
  for (let number = 1; number <= pageCount; number++) layouts.push(await layOutPage(document, number));
  const fragments = withoutMargins(layouts).map((layout, idx) => {
    const paragraphs = paragraphsOf(layout)
      .map(canonicalLines)
      .filter((text) => text !== '');
    return toFragment(idx, paragraphs.map((text) => `<p>${escapeText(text)}</p>`).join(''));
  });
  const { title: stated, ...metadata } = await describe(document);
  const [first] = layouts;
  const title = isUsefulTitle(stated) ? stated : ((first && titleOf(first)) ?? stated);
  const outline = await outlineOf(document);
  return { ...toExtraction({ title, metadata, fragments, outline }), page_count: pageCount };
}

export async function openDocument(
  bytes: Uint8Array,
  options: { maxImageSize?: number } = {},
): Promise<PdfDocument> {
  const { getDocument, VerbosityLevel } = await loadPdfJs();
  const data = path.dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
  try {
    return await getDocument({
      data: bytes,
      // Character maps for East Asian fonts that do not contain their own.
      cMapUrl: `${path.join(data, 'cmaps')}/`,
      cMapPacked: true,
      standardFontDataUrl: `${path.join(data, 'standard_fonts')}/`,
      isEvalSupported: false,
      disableFontFace: true,
      useSystemFonts: false,
      verbosity: VerbosityLevel.ERRORS,
      ...options,
    }).promise;
  } catch (error) {
    if ((error as Error).name === 'PasswordException') {
      throw new ExtractionFailure(
        'E_PDF_PASSWORD_REQUIRED',
        'The PDF is protected by a password. Upload a copy without a password.',
        { cause: error },
      );
    }
    throw new ExtractionFailure('E_PDF_INVALID', 'The file is damaged, or is not a PDF.', { cause: error });
  }
}

/** Loads pdf.js with the drawing classes that it expects in a browser, or stubs: extracting text does not use them. */
async function loadPdfJs(): Promise<PdfJs> {
  const globals = globalThis as Record<string, unknown>;
  const library = await loadCanvas();
  for (const name of ['DOMMatrix', 'ImageData', 'Path2D'] as const)
    globals[name] ??= library?.[name] ?? class {};
  return import('pdfjs-dist/legacy/build/pdf.mjs');
}

async function layOutPage(document: PdfDocument, number: number): Promise<PageLayout> {
  try {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    page.cleanup();
    const texts = items.filter((item) => 'str' in item);
    const viewport = page.getViewport({ scale: 1, rotation: turnOf(texts) });
    return layOut(
      texts.map((item) => toTextItem(item, viewport)),
      viewport.height,
    );
  } catch (error) {
    throw new ExtractionFailure('E_PDF_INVALID', `Page ${number} of the PDF is damaged.`, { cause: error });
  }
}

interface PdfItem {
  str: string;
  /** A matrix: its last two values are the position, and its second pair gives the size of the font. */
  transform: number[];
  width: number;
}

/** The transformation of a page to its shown position, in points from the top left. */
interface Viewport {
  transform: number[];
  height: number;
}

/**
 * Returns the clockwise turn, in degrees, that makes most of a page's text upright. It is not always the rotation of the
 * page: wide tables are often printed sideways on upright pages.
 */
function turnOf(items: PdfItem[]): number {
  const letters = [0, 0, 0, 0];
  for (const { str, transform } of items) {
    const [, , c = 0, d = 0] = transform;
    const quarter = (Math.round(Math.atan2(-c, d) / (Math.PI / 2)) + 4) % 4;
    letters[quarter] = (letters[quarter] ?? 0) + str.trim().length;
  }
  return 90 * letters.indexOf(Math.max(...letters));
}

function toTextItem({ str, transform, width }: PdfItem, viewport: Viewport): TextItem {
  const [, , c = 0, d = 0, x = 0, y = 0] = transform;
  const [xx = 1, yx = 0, xy = 0, yy = -1, left = 0, top = 0] = viewport.transform;
  // A page may define another unit than points.
  const unit = Math.hypot(xx, yx);
  return {
    text: str,
    x: xx * x + xy * y + left,
    y: viewport.height - top - yx * x - yy * y,
    width: width * unit,
    size: Math.hypot(c, d) * unit,
  };
}

async function describe(document: PdfDocument) {
  const { info } = (await document.getMetadata().catch(() => ({ info: {} }))) as {
    info: Record<string, unknown>;
  };
  const text = (name: string) => {
    const value = info[name];
    return (typeof value === 'string' && canonicalLine(value)) || null;
  };
  const [, year, month = '01', day = '01'] =
    /^D:(\d{4})(\d{2})?(\d{2})?/.exec(text('CreationDate') ?? '') ?? [];
  return {
    title: text('Title'),
    author: text('Author'),
    published: year ? `${year}-${month}-${day}` : null,
    language: languageTag(text('Language')),
  };
}

interface OutlineNode {
  title: string;
  dest: string | unknown[] | null;
  items: OutlineNode[];
}

/** Reads the outline; empty when it is broken. */
async function outlineOf(document: PdfDocument): Promise<OutlineItem[]> {
  const roots = ((await document.getOutline().catch(() => null)) ?? []) as OutlineNode[];
  const items: OutlineItem[] = [];
  const stack = roots.map((node) => ({ node, depth: 0 })).reverse();
  for (let next = stack.pop(); next && items.length < MAX_OUTLINE_ITEMS; next = stack.pop()) {
    const { node, depth } = next;
    const title = canonicalLine(node.title);
    if (title) items.push({ title, fragment_idx: await pageOf(document, node.dest), depth });
    for (const child of node.items.toReversed()) stack.push({ node: child, depth: depth + 1 });
  }
  return items;
}

/** Returns the page index of an outline entry; null when its target is broken. */
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
