import type { PrintedPage } from '../../../contract/media.ts';
import { canonicalLine, canonicalText } from '../text/canonical-text.ts';
import { escapeAttribute } from '../text/markup.ts';
import { invalid, openArchive, unsafe } from './archive.ts';
import { createDrawings } from './drawings.ts';
import { resolvePath } from './epub-address.ts';
import { type ChapterContext, type ReadChapter, readChapter } from './epub-chapter.ts';
import { createStyleBudget, picturePage } from './epub-fixed-page.ts';
import { type BookImage, readImages } from './epub-images.ts';
import { type ChapterTarget, createLinks, type Links } from './epub-links.ts';
import type { NavTarget } from './epub-navigation.ts';
import { type Book, pageSize, readBook, type SpineItem } from './epub-package.ts';
import { createStyles } from './epub-styles.ts';
import {
  type Asset,
  type ExtractedFragment,
  type Extraction,
  toExtraction,
  toFragment,
} from './extraction.ts';

interface EpubTask {
  bytes: Uint8Array;
  /** The URL prefix of assets. */
  assetPath: string;
}

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

export async function extractEpub({ bytes, assetPath }: EpubTask): Promise<Extraction> {
  const maxBytes = maxOutputBytes(bytes.byteLength);
  const archive = await openArchive(bytes);
  const book = await readBook(archive);
  if (book.chapters.length > MAX_CHAPTERS) throw unsafe(`has more than ${MAX_CHAPTERS} chapters`);
  const images = await readImages(archive, book.images, maxBytes);
  const used = new Set<Asset>();
  const drawings = createDrawings(assetPath);
  const imageAt = (path: string) => {
    const asset = images.get(archive.nameOf(path))?.asset;
    if (asset) used.add(asset);
    return asset && `${assetPath}${asset.name}`;
  };
  const imagesAt = (from: string) => ({
    find(url: string) {
      const name = archive.nameOf(resolvePath(url, from));
      const asset = images.get(name)?.asset;
      return asset && { name, url: `${assetPath}${asset.name}` };
    },
  });

  const chapters = new Map<string, ChapterTarget>(
    book.chapters.map(({ path }) => [path, { fragment: undefined, ids: new Set() }]),
  );
  const numbers = new Map(book.chapters.map(({ path }, number) => [path, number]));
  const context: Omit<ChapterContext, 'onId'> = {
    archive,
    drawings,
    styles: createStyles(archive, imagesAt),
    styleBudget: createStyleBudget(),
    imagesAt,
    imageAt,
    numberOf: (path) => numbers.get(archive.nameOf(path)),
    writingMode: book.writingMode,
    pageSize: book.pageSize,
  };
  const pictures = new Set(book.images);
  const fragments: ExtractedFragment[] = [];
  const marks: NavTarget[] = [];
  let size = 0;
  for (const item of book.chapters) {
    const { path } = item;
    const target = chapters.get(path);
    const read = pictures.has(path)
      ? readPicture(item, imageAt(path), images.get(path))
      : await readChapter(item, { ...context, onId: (id) => void target?.ids.add(id) });
    const { html, layout } = read;
    size += html.length;
    if (size > Math.min(MAX_MARKUP_BYTES, maxBytes)) throw unsafe('is too large when decompressed');
    if (html.trim() === '') continue;
    if (target) target.fragment = fragments.length;
    const title = book.toc.find((entry) => entry.path === path)?.title ?? headingOf(html);
    fragments.push(toFragment(fragments.length, html, { title, layout }));
    marks.push(...read.marks.map(({ label, id }) => ({ title: label, path, id })));
  }
  if (fragments.length === 0) throw invalid('The book has no chapters.');
  const links = createLinks(chapters);
  addPrintedPages(fragments, book.pages.length > 0 ? book.pages : marks, links);
  const navigation = navigationOf(book, links);
  links.complete(fragments);

  const cover = book.cover === undefined ? undefined : images.get(book.cover)?.asset;
  if (cover) used.add(cover);
  const { outline, landmarks } = navigation;
  return {
    ...toExtraction({
      title: book.title,
      metadata: { ...book.metadata, cover: cover?.name ?? null },
      fragments,
      outline,
      assets: uniqueAssets([...used, ...drawings.used()]),
    }),
    book: { direction: book.isRightToLeft ? 'rtl' : 'ltr', landmarks },
  };
}

/** Returns a spine item that is an image; empty when the image is invalid. */
function readPicture(
  { isFixed }: SpineItem,
  src: string | undefined,
  image: BookImage | undefined,
): ReadChapter {
  const marks: ReadChapter['marks'] = [];
  if (src === undefined || !image) return { html: '', layout: null, marks };
  const { alt, words, width, height } = image;
  if (isFixed) return { ...picturePage({ src, alt, words, size: pageSize(width, height) }), marks };
  const html = `<p><img src="${escapeAttribute(src)}" alt="${escapeAttribute(alt)}"></p>`;
  return { html, layout: null, marks };
}

/** Adds the pages of the printed edition to the fragments in which they begin. */
function addPrintedPages(fragments: ExtractedFragment[], pages: NavTarget[], links: Links): void {
  const byFragment = new Map<number, PrintedPage[]>();
  for (const page of pages) {
    const target = links.to(page);
    if (!target) continue;
    const { fragment_idx, ...element } = target;
    const known = byFragment.get(fragment_idx) ?? [];
    known.push({ label: page.title, ...element });
    byFragment.set(fragment_idx, known);
  }
  for (const fragment of fragments) fragment.printed_pages = byFragment.get(fragment.idx) ?? null;
}

function navigationOf({ toc, landmarks }: Book, links: Links) {
  return {
    outline: toc.map(({ title, depth, ...target }) => {
      const { fragment_idx, ...element } = links.to(target) ?? { fragment_idx: null };
      return { title, fragment_idx, ...element, depth };
    }),
    landmarks: landmarks.flatMap(({ type, title, ...target }) => {
      const found = links.to(target);
      return found ? [{ type, title, ...found }] : [];
    }),
  };
}

/** A drawing may be embedded in a chapter and be a file, too. */
function uniqueAssets(assets: Asset[]): Asset[] {
  return [...new Map(assets.map((asset) => [asset.name, asset])).values()];
}

function headingOf(html: string): string | null {
  const heading = /<h[1-3][^>]*>(.*?)<\/h[1-3]>/s.exec(html)?.[1];
  return (heading && canonicalLine(canonicalText(heading), 300)) || null;
}
