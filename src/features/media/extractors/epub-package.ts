import { canonicalLine } from '../text/canonical-text.ts';
import { type Archive, DRM, invalid } from './archive.ts';
import { resolvePath } from './epub-address.ts';
import { readNavigation } from './epub-navigation.ts';
import { readXml } from './epub-xml.ts';
import { languageTag } from './extraction.ts';
import { attributeOf, childrenNamed, descendants, type XmlElement } from './xml.ts';

interface Item {
  path: string;
  type: string;
  properties: string[];
  /** The id of the item to show where this one cannot be shown. */
  fallback: string;
}

/** A chapter of a book, or a page of a comic. */
export interface SpineItem {
  path: string;
  /** Whether it is a page with a layout of its own, and not text that flows. */
  isFixed: boolean;
}

export interface PageSize {
  width: number;
  height: number;
}

export type Book = Awaited<ReturnType<typeof readBook>>;

const FONT_OBFUSCATION = ['http://www.idpf.org/2008/embedding', 'http://ns.adobe.com/pdf/enc#RC'];
const READABLE =
  /^(application\/xhtml\+xml|text\/html|application\/x-dtbook\+xml|text\/x-oeb1-document|image\/.+)$/;
/** Files beside the package in which shops say that a book has fixed pages. */
const DISPLAY_OPTIONS = [
  'META-INF/com.apple.ibooks.display-options.xml',
  'META-INF/com.kobobooks.display-options.xml',
];
const MOST_FALLBACKS = 5;
const LARGEST_PAGE = 20_000;

/** Reads the metadata and the contents of a book from its package document. `chapters` are in reading order. */
export async function readBook(archive: Archive) {
  await refuseDrm(archive);
  const container = await readXml(archive, 'META-INF/container.xml');
  const opfPath = container && attributeOf(descendants(container, 'rootfile')[0], 'full-path');
  const opf = opfPath ? await readXml(archive, opfPath) : undefined;
  if (!opfPath || !opf) throw invalid('The file is a zip archive, but not an EPUB.');

  const items = manifest(archive, opf, opfPath);
  const spine = descendants(opf, 'spine')[0];
  const all = [...items.values()];
  const writingMode = metaNamed(opf, 'primary-writing-mode')?.toLowerCase();
  return {
    ...describe(opf),
    chapters: spineItems(spine, items, await isFixedLayout(archive, opf)),
    images: all.filter(({ type }) => type.startsWith('image/')).map(({ path }) => path),
    cover: coverOf(opf, items),
    isRightToLeft:
      attributeOf(spine, 'page-progression-direction') === 'rtl' ||
      (writingMode !== undefined && /^(horizontal|vertical)-rl$/.test(writingMode)),
    /** How the text is written where its style says nothing. */
    writingMode,
    /** The size of pages that do not say theirs. */
    pageSize: defaultPageSize(opf),
    ...(await readNavigation(archive, {
      nav: all.find(({ properties }) => properties.includes('nav'))?.path,
      ncx: (items.get(attributeOf(spine, 'toc') ?? '') ?? all.find(({ type }) => type.includes('ncx')))?.path,
      opf,
      opfPath,
    })),
  };
}

/** Throws when the book is encrypted. Obfuscated fonts are common and allowed. */
async function refuseDrm(archive: Archive): Promise<void> {
  const encryption = await readXml(archive, 'META-INF/encryption.xml');
  const methods = encryption ? descendants(encryption, 'EncryptionMethod') : [];
  if (methods.some((method) => !FONT_OBFUSCATION.includes(attributeOf(method, 'Algorithm') ?? '')))
    throw invalid(DRM);
}

function manifest(archive: Archive, opf: XmlElement, opfPath: string): Map<string, Item> {
  return new Map(
    descendants(opf, 'item').map((item) => [
      attributeOf(item, 'id') ?? '',
      {
        path: archive.nameOf(resolvePath(attributeOf(item, 'href') ?? '', opfPath)),
        type: (attributeOf(item, 'media-type') ?? '').toLowerCase(),
        properties: (attributeOf(item, 'properties') ?? '').split(/\s+/),
        fallback: attributeOf(item, 'fallback') ?? '',
      },
    ]),
  );
}

/** Returns the chapters in reading order, each once. An item may say for itself whether it is a fixed page. */
function spineItems(spine: XmlElement | undefined, items: Map<string, Item>, isFixed: boolean): SpineItem[] {
  const chapters = new Map<string, SpineItem>();
  for (const itemref of spine ? childrenNamed(spine, 'itemref') : []) {
    const item = readableItem(items, attributeOf(itemref, 'idref') ?? '');
    if (!item || chapters.has(item.path)) continue;
    const properties = attributeOf(itemref, 'properties') ?? '';
    const [, layout] = /\brendition:layout-(pre-paginated|reflowable)\b/.exec(properties) ?? [];
    chapters.set(item.path, {
      path: item.path,
      isFixed: layout === undefined ? isFixed : layout === 'pre-paginated',
    });
  }
  return [...chapters.values()];
}

/** Returns an item, or the fallback of an item of a type that cannot be shown. */
function readableItem(items: Map<string, Item>, id: string): Item | undefined {
  let item = items.get(id);
  for (let steps = 0; item && !READABLE.test(item.type) && steps < MOST_FALLBACKS; steps++)
    item = items.get(item.fallback);
  return item && READABLE.test(item.type) ? item : undefined;
}

/** Whether all pages have a fixed layout, unless they say otherwise. EPUB 3, Kindle, Apple and Kobo have a mark each. */
async function isFixedLayout(archive: Archive, opf: XmlElement): Promise<boolean> {
  const declared = metaProperty(opf, 'rendition:layout');
  if (declared !== undefined) return declared === 'pre-paginated';
  if (metaNamed(opf, 'fixed-layout') === 'true') return true;
  for (const path of DISPLAY_OPTIONS) {
    const options = await readXml(archive, path);
    const isFixed = (option: XmlElement) =>
      attributeOf(option, 'name') === 'fixed-layout' && option.textContent.trim() === 'true';
    if (options && descendants(options, 'option').some(isFixed)) return true;
  }
  return false;
}

function defaultPageSize(opf: XmlElement): PageSize | undefined {
  return (
    readViewport(metaProperty(opf, 'rendition:viewport')) ??
    readViewport(metaNamed(opf, 'original-resolution')?.replace(/^(\d+)x(\d+)$/i, 'width=$1,height=$2'))
  );
}

/** Reads the size of a page from `width=1200, height=1600`. */
export function readViewport(content: string | null | undefined): PageSize | undefined {
  const number = (name: string) =>
    Number(new RegExp(`\\b${name}\\s*=\\s*"?(\\d{1,6}(?:\\.\\d{1,6})?)`, 'i').exec(content ?? '')?.[1] ?? 0);
  return pageSize(number('width'), number('height'));
}

/** Returns the size of a page; undefined when it cannot be one. */
export function pageSize(width: number | undefined, height: number | undefined): PageSize | undefined {
  const isSize = (value: number | undefined): value is number =>
    value !== undefined && value >= 1 && value <= LARGEST_PAGE;
  return isSize(width) && isSize(height) ? { width, height } : undefined;
}

function metaProperty(opf: XmlElement, property: string): string | undefined {
  const metas = descendants(opf, 'meta').filter((meta) => attributeOf(meta, 'property') === property);
  return metas.find((meta) => !attributeOf(meta, 'refines'))?.textContent.trim();
}

function metaNamed(opf: XmlElement, name: string): string | undefined {
  const meta = descendants(opf, 'meta').find((one) => attributeOf(one, 'name')?.toLowerCase() === name);
  return attributeOf(meta, 'content')?.trim();
}

function describe(opf: XmlElement) {
  const metadata = descendants(opf, 'metadata')[0];
  const all = (name: string) =>
    (metadata ? childrenNamed(metadata, name) : [])
      .map((element) => canonicalLine(element.textContent))
      .filter(Boolean);
  const first = (name: string) => all(name)[0] ?? null;
  return {
    title: first('title'),
    metadata: {
      author: all('creator').join(', ') || null,
      // A publisher is not a site that more can be read on.
      site: null,
      language: languageTag(first('language')),
      published: /^\d{4}(-\d{2}(-\d{2})?)?/.exec(first('date') ?? '')?.[0] ?? null,
      description: first('description'),
    },
  };
}

/** Finds the cover. EPUB 3 marks it with a property; EPUB 2 names it in the metadata. */
function coverOf(opf: XmlElement, items: Map<string, Item>): string | undefined {
  const marked = [...items.values()].find(({ properties }) => properties.includes('cover-image'));
  return (marked ?? items.get(metaNamed(opf, 'cover') ?? ''))?.path;
}
