import { createHash } from 'node:crypto';
import { decodeText } from '../../../platform/egress/charset.ts';
import { LARGEST_IMAGE, sniffImage } from '../files/image.ts';
import { canonicalLines, canonicalText } from '../text/canonical-text.ts';
import { parseBody } from '../text/markup.ts';
import { sanitizeNodes } from '../text/sanitize.ts';
import { type Archive, openArchive, unsafe } from './archive.ts';
import { type Book, readBook, type TocEntry } from './epub-package.ts';
import {
  type Asset,
  type Extraction,
  ExtractionFailure,
  type Fragment,
  type OutlineItem,
  plainText,
} from './extraction.ts';
import { countWords, readingMinutes } from './words.ts';
import { asHtml, refuseEntities } from './xml.ts';

export interface EpubTask {
  bytes: Uint8Array;
  /** The path prefix of assets. */
  assetPath: string;
}

/** The base of relative URLs in a book. It does not exist. */
const BOOK = 'https://epub.invalid/';
/**
 * The placeholder of a link to a chapter until all chapters are read. Empty ones are dropped, so their numbers are not
 * known before.
 */
const CHAPTER = '#chapter-';
const LINK_TO_CHAPTER = / href="#chapter-(\d+)"/g;

const MOST_CHAPTERS = 5000;
const MB = 1024 * 1024;
const MOST_MARKUP = 64 * MB;
const MOST_OUTPUT = 256 * MB;
/**
 * The largest growth of a book. Pictures hardly compress, and text compresses to a quarter, so no honest book grows
 * more.
 */
const MOST_GROWTH = 20;

/** The most text and pictures that may come out of a file of this size. */
export function mostOutput(fileBytes: number): number {
  return Math.min(MOST_OUTPUT, 10 * MB + MOST_GROWTH * fileBytes);
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
  const most = mostOutput(bytes.byteLength);
  const archive = await openArchive(bytes);
  const book = await readBook(archive);
  if (book.chapters.length > MOST_CHAPTERS) throw unsafe(`has more than ${MOST_CHAPTERS} chapters`);
  const images = await readImages(archive, book, most);
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
    if (size > Math.min(MOST_MARKUP, most)) throw unsafe('is far too large inside');
    if (html.trim() === '') continue;
    fragmentOf.set(chapter, fragments.length);
    fragments.push({
      idx: fragments.length,
      title: book.toc.find(({ path }) => path === chapter)?.title ?? headingOf(html),
      html_sanitized: html,
      canonical_text: canonicalText(html),
      t_start_ms: null,
      t_end_ms: null,
    });
  }
  for (const fragment of fragments) {
    fragment.html_sanitized = fragment.html_sanitized.replace(LINK_TO_CHAPTER, (_, number) => {
      const idx = fragmentOf.get(book.chapters[number] ?? '');
      return idx === undefined ? '' : ` href="#fragment-${idx}"`;
    });
  }
  if (fragments.length === 0) throw new ExtractionFailure('E_EPUB_INVALID', 'The book has no chapters.');

  const cover = book.cover === undefined ? undefined : images.get(book.cover);
  if (cover) used.add(cover);
  const text = plainText(fragments);
  const words = countWords(text);
  return {
    title: book.title,
    metadata: {
      author: book.author,
      site: book.publisher,
      language: book.language,
      published: book.published,
      description: book.description,
      word_count: words,
      reading_minutes: readingMinutes(words),
      cover: cover?.name ?? null,
    },
    fragments,
    plain_text: text,
    outline: outlineOf(book.toc, fragmentOf),
    assets: [...used],
  };
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
    baseUrl: `${BOOK}${chapter.split('/').map(encodeURIComponent).join('/')}`,
    // A remote picture would disclose to its server who reads the book, and when.
    rewriteImage: (url) => (url.startsWith(BOOK) ? imageAt(pathIn(url)) : undefined),
    rewriteLink: (url) => (url.startsWith(BOOK) ? linkTo(pathIn(url)) : url),
  });
}

function pathIn(url: string): string {
  const { pathname } = new URL(url);
  try {
    return decodeURIComponent(pathname.slice(1));
  } catch {
    return '';
  }
}

/**
 * Stores pictures by content, so that the same picture is stored once. Files that are no pictures, or too large, are
 * dropped.
 */
async function readImages(archive: Archive, book: Book, most: number): Promise<Map<string, Asset>> {
  const byPath = new Map<string, Asset>();
  const byName = new Map<string, Asset>();
  let total = 0;
  for (const path of book.images) {
    const bytes = await archive.read(path);
    const type = bytes && bytes.length <= LARGEST_IMAGE ? sniffImage(bytes) : undefined;
    const extension = type && EXTENSIONS[type];
    if (!bytes || !extension) continue;
    total += bytes.length;
    if (total > most) throw unsafe('is far too large inside');
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

function outlineOf(toc: TocEntry[], fragmentOf: Map<string, number>): OutlineItem[] {
  return toc.map(({ title, path, depth }) => ({ title, fragment_idx: fragmentOf.get(path) ?? null, depth }));
}
