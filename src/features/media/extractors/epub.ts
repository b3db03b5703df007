import { createHash } from 'node:crypto';
import { decodeText } from '../../../platform/egress/charset.ts';
import { LARGEST_IMAGE, sniffImage } from '../files/image.ts';
import { canonicalLines, canonicalText } from '../text/canonical-text.ts';
import { parseBody } from '../text/markup.ts';
import { sanitizeNodes } from '../text/sanitize.ts';
import { type Archive, invalid, openArchive, unsafe } from './archive.ts';
import { BOOK, pathOf, readBook, urlOf } from './epub-package.ts';
import { type Asset, type Extraction, type Fragment, toExtraction, toFragment } from './extraction.ts';
import { asHtml, refuseEntities } from './xml.ts';

interface EpubTask {
  bytes: Uint8Array;
  /** The URL prefix of assets. */
  assetPath: string;
}

/** A placeholder for links to chapters. Empty chapters are skipped, so fragment numbers are known only at the end. */
const CHAPTER = '#chapter-';
const LINK_TO_CHAPTER = / href="#chapter-(\d+)"/g;

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

  const fragments: Fragment[] = [];
  const fragmentOf = new Map<string, number>();
  const numbers = new Map(book.chapters.map((chapter, number) => [chapter, number]));
  let size = 0;
  for (const chapter of book.chapters) {
    const html = await chapterHtml(archive, chapter, {
      imageAt(image) {
        const asset = images.get(image);
        if (asset) used.add(asset);
        return asset && `${assetPath}${asset.name}`;
      },
      linkTo: (path) =>
        path !== chapter && numbers.has(path) ? `${CHAPTER}${numbers.get(path)}` : undefined,
    });
    size += html.length;
    if (size > Math.min(MAX_MARKUP_BYTES, maxBytes)) throw unsafe('is too large when decompressed');
    if (html.trim() === '') continue;
    fragmentOf.set(chapter, fragments.length);
    const title = book.toc.find(({ path }) => path === chapter)?.title ?? headingOf(html);
    fragments.push(toFragment(fragments.length, html, { title }));
  }
  for (const fragment of fragments) {
    fragment.html_sanitized = fragment.html_sanitized.replace(LINK_TO_CHAPTER, (_, number) => {
      const idx = fragmentOf.get(book.chapters[number] ?? '');
      return idx === undefined ? '' : ` href="#fragment-${idx}"`;
    });
  }
  if (fragments.length === 0) throw invalid('The book has no chapters.');

  const cover = book.cover === undefined ? undefined : images.get(book.cover);
  if (cover) used.add(cover);
  return toExtraction({
    title: book.title,
    metadata: { ...book.metadata, cover: cover?.name ?? null },
    fragments,
    outline: book.toc.map(({ title, path, depth }) => ({
      title,
      fragment_idx: fragmentOf.get(path) ?? null,
      depth,
    })),
    assets: [...used],
  });
}

async function chapterHtml(
  archive: Archive,
  chapter: string,
  { imageAt, linkTo }: Record<'imageAt' | 'linkTo', (path: string) => string | undefined>,
): Promise<string> {
  const bytes = await archive.read(chapter);
  if (!bytes) return '';
  const { text } = decodeText(bytes, undefined);
  refuseEntities(text);
  return sanitizeNodes(parseBody(asHtml(text)), {
    baseUrl: urlOf(chapter),
    // External images are removed, because their server would learn who reads the book and when.
    rewriteImage: (url) => imageAt(pathOf(url)),
    rewriteLink: (url) => (url.startsWith(BOOK) ? linkTo(pathOf(url)) : url),
  });
}

/** Reads the images by path. They are named by their hash, so duplicates are stored once. Skips invalid and large files. */
async function readImages(archive: Archive, paths: string[], maxBytes: number): Promise<Map<string, Asset>> {
  const byPath = new Map<string, Asset>();
  const byName = new Map<string, Asset>();
  let total = 0;
  for (const path of paths) {
    const bytes = await archive.read(path);
    const type = bytes && bytes.length <= LARGEST_IMAGE ? sniffImage(bytes) : undefined;
    const extension = type && EXTENSIONS[type];
    if (!bytes || !extension) continue;
    total += bytes.length;
    if (total > maxBytes) throw unsafe('is too large when decompressed');
    const name = `${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}.${extension}`;
    const asset = byName.get(name) ?? { name, content_type: type, bytes: new Uint8Array(bytes) };
    byName.set(name, asset);
    byPath.set(path, asset);
  }
  return byPath;
}

function headingOf(html: string): string | null {
  const heading = /<h[1-3][^>]*>(.*?)<\/h[1-3]>/s.exec(html)?.[1];
  return (heading && canonicalLines(canonicalText(heading).replaceAll('\n', ' ')).slice(0, 300)) || null;
}
