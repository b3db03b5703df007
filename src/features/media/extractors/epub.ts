import { decodeText } from '../../../platform/egress/charset.ts';
import { LARGEST_IMAGE, sniffImage } from '../files/image.ts';
import { canonicalLines, canonicalText } from '../text/canonical-text.ts';
import { escapeAttribute } from '../text/markup.ts';
import { sanitizeNodes } from '../text/sanitize.ts';
import { fragmentOf, targetId } from '../text/targets.ts';
import { type Archive, invalid, openArchive, unsafe } from './archive.ts';
import { createDrawings, type Drawings, hashName, readSvgFile } from './drawings.ts';
import { BOOK, pathOf, readBook, urlOf } from './epub-package.ts';
import { type Asset, type Extraction, type Fragment, toExtraction, toFragment } from './extraction.ts';
import { parsePage } from './page-dom.ts';
import { fromPage } from './page-markup.ts';
import { preparePage } from './prepare-page.ts';
import { asHtml, refuseEntities } from './xml.ts';

interface EpubTask {
  bytes: Uint8Array;
  /** The URL prefix of assets. */
  assetPath: string;
}

/**
 * Placeholders for links to chapters and for ids that other chapters may link to. Empty chapters are skipped, so fragment
 * numbers are known only at the end. No text contains the NUL character, because parsers drop it.
 */
const OPEN = '\0';
const LINK_TO_CHAPTER = / href="#\0(\d+)(?:\/([^"]*))?"/g;
const OPEN_ID = / id="\0([^"]*)"/g;

/** An SVG file starts with its root, after a document type and comments. */
const SVG_START = 10_000;

const MAX_CHAPTERS = 5000;
const MB = 1024 * 1024;
const MAX_MARKUP_BYTES = 64 * MB;
const MAX_OUTPUT_BYTES = 256 * MB;
/** Images hardly compress, and text compresses to about a quarter, so real books stay far below this ratio. */
const MAX_EXPANSION = 20;

/** Returns the limit for extracted text and images: a small file must not become a large document. */
function maxOutputBytes(fileBytes: number): number {
  return Math.min(MAX_OUTPUT_BYTES, 10 * MB + MAX_EXPANSION * fileBytes);
}

const EXTENSIONS: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/bmp': 'bmp',
};

export async function extractEpub({ bytes, assetPath }: EpubTask): Promise<Extraction> {
  const maxBytes = maxOutputBytes(bytes.byteLength);
  const archive = await openArchive(bytes);
  const book = await readBook(archive);
  if (book.chapters.length > MAX_CHAPTERS) throw unsafe(`has more than ${MAX_CHAPTERS} chapters`);
  const images = await readImages(archive, book.images, maxBytes);
  const used = new Set<Asset>();
  const drawings = createDrawings(assetPath);
  const imageAt = (path: string) => {
    const asset = images.get(path)?.asset;
    if (asset) used.add(asset);
    return asset && `${assetPath}${asset.name}`;
  };

  const fragments: Fragment[] = [];
  const fragmentOfChapter = new Map<string, number>();
  const numbers = new Map(book.chapters.map((chapter, number) => [chapter, number]));
  const pictures = new Set(book.images);
  const ids = book.chapters.map(() => new Set<string>());
  let size = 0;
  for (const [number, chapter] of book.chapters.entries()) {
    const html = pictures.has(chapter)
      ? pictureHtml(imageAt(chapter), images.get(chapter)?.alt)
      : await chapterHtml(archive, chapter, {
          drawings,
          imageAt,
          numberOf: (path) => numbers.get(path),
          onId: (id) => void ids[number]?.add(id),
        });
    size += html.length;
    if (size > Math.min(MAX_MARKUP_BYTES, maxBytes)) throw unsafe('is too large when decompressed');
    if (html.trim() === '') continue;
    fragmentOfChapter.set(chapter, fragments.length);
    const title = book.toc.find(({ path }) => path === chapter)?.title ?? headingOf(html);
    fragments.push(toFragment(fragments.length, html, { title }));
  }
  const fragmentAt = (number: number) => fragmentOfChapter.get(book.chapters[number] ?? '');
  linkChapters(fragments, { fragmentAt, ids });
  if (fragments.length === 0) throw invalid('The book has no chapters.');

  const cover = book.cover === undefined ? undefined : images.get(book.cover)?.asset;
  if (cover) used.add(cover);
  return toExtraction({
    title: book.title,
    metadata: { ...book.metadata, cover: cover?.name ?? null },
    fragments,
    outline: book.toc.map(({ title, path, depth }) => ({
      title,
      fragment_idx: fragmentOfChapter.get(path) ?? null,
      depth,
    })),
    assets: uniqueAssets([...used, ...drawings.used()]),
  });
}

/** Returns the HTML of a page that is an image; empty when the image is invalid. */
function pictureHtml(src: string | undefined, alt = ''): string {
  return src ? `<p><img src="${escapeAttribute(src)}" alt="${escapeAttribute(alt)}"></p>` : '';
}

interface ChapterContext {
  drawings: Drawings;
  imageAt(path: string): string | undefined;
  /** Returns the number of a chapter in the book. */
  numberOf(path: string): number | undefined;
  /** Called with every id of the chapter, as it is in the HTML. */
  onId(id: string): void;
}

async function chapterHtml(
  archive: Archive,
  chapter: string,
  { drawings, imageAt, numberOf, onId }: ChapterContext,
): Promise<string> {
  const bytes = await archive.read(chapter);
  if (!bytes) return '';
  const { text } = decodeText(bytes, undefined);
  refuseEntities(text);
  const page = parsePage(asHtml(text));
  const formulas = preparePage(page, drawings);
  const linkTo = (url: string) => {
    const path = pathOf(url);
    const number = path === chapter ? undefined : numberOf(path);
    if (number === undefined) return undefined;
    const id = fragmentOf(url, { pageUrls: [urlOf(path)] });
    return id ? `#${OPEN}${number}/${targetId(id)}` : `#${OPEN}${number}`;
  };
  return sanitizeNodes(page.body?.childNodes.map((node) => fromPage(node, formulas)) ?? [], {
    baseUrl: urlOf(chapter),
    // External images are removed, because their server would learn who reads the book and when.
    rewriteImage: (url) => drawings.urlOf(url) ?? imageAt(pathOf(url)),
    rewriteLink: (url) => (url.startsWith(BOOK) ? linkTo(url) : url),
    rewriteId: (id, isLinked) => {
      onId(escapeAttribute(targetId(id)));
      return isLinked ? targetId(id) : OPEN + targetId(id);
    },
  });
}

/** Completes the links between chapters, and removes the ids that no link leads to. `ids` are those of each chapter. */
function linkChapters(
  fragments: Fragment[],
  { fragmentAt, ids }: { fragmentAt(chapter: number): number | undefined; ids: Set<string>[] },
): void {
  const wanted = new Set<string>();
  for (const fragment of fragments) {
    fragment.html_sanitized = fragment.html_sanitized.replace(LINK_TO_CHAPTER, (_, chapter, id = '') => {
      const idx = fragmentAt(Number(chapter));
      if (idx === undefined) return '';
      if (!ids[Number(chapter)]?.has(id)) return ` href="#fragment-${idx}"`;
      wanted.add(`${idx}/${id}`);
      return ` href="#fragment-${idx}/${id}"`;
    });
  }
  for (const fragment of fragments) {
    fragment.html_sanitized = fragment.html_sanitized.replace(OPEN_ID, (_, id) =>
      wanted.has(`${fragment.idx}/${id}`) ? ` id="${id}"` : '',
    );
  }
}

/** An image of a book, and what an SVG says about itself. */
interface BookImage {
  asset: Asset;
  alt: string;
}

/** Reads the images by path. Skips invalid and large files. */
async function readImages(
  archive: Archive,
  paths: string[],
  maxBytes: number,
): Promise<Map<string, BookImage>> {
  const byPath = new Map<string, BookImage>();
  const byName = new Map<string, BookImage>();
  let total = 0;
  for (const path of paths) {
    const bytes = await archive.read(path);
    const image = bytes && bytes.length <= LARGEST_IMAGE ? readImage(bytes) : undefined;
    if (!image) continue;
    total += image.asset.bytes.length;
    if (total > maxBytes) throw unsafe('is too large when decompressed');
    const known = byName.get(image.asset.name) ?? image;
    byName.set(image.asset.name, known);
    byPath.set(path, known);
  }
  return byPath;
}

/** Reads an image. Files are named by their hash, so that duplicates are stored once. */
function readImage(bytes: Buffer): BookImage | undefined {
  const type = sniffImage(bytes);
  const extension = type && EXTENSIONS[type];
  if (extension) {
    const name = `${hashName(bytes)}.${extension}`;
    return { asset: { name, content_type: type, bytes: new Uint8Array(bytes) }, alt: '' };
  }
  const { text } = decodeText(bytes, undefined);
  if (!/<(svg:)?svg\b/i.test(text.slice(0, SVG_START))) return undefined;
  refuseEntities(text);
  return readSvgFile(asHtml(text));
}

/** A drawing may be embedded in a chapter and be a file, too. */
function uniqueAssets(assets: Asset[]): Asset[] {
  return [...new Map(assets.map((asset) => [asset.name, asset])).values()];
}

function headingOf(html: string): string | null {
  const heading = /<h[1-3][^>]*>(.*?)<\/h[1-3]>/s.exec(html)?.[1];
  return (heading && canonicalLines(canonicalText(heading).replaceAll('\n', ' ')).slice(0, 300)) || null;
}
