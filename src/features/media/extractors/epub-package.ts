import { canonicalLines } from '../text/canonical-text.ts';
import type { Archive } from './archive.ts';
import { ExtractionFailure } from './extraction.ts';
import { childrenNamed, descendants, localName, parseXml, type XmlElement } from './xml.ts';

export interface TocEntry {
  title: string;
  /** The path of its target in the archive; empty when it has none. */
  path: string;
  depth: number;
}

/** The metadata and the contents of a book, from its package document. */
export interface Book {
  title: string | null;
  author: string | null;
  publisher: string | null;
  language: string | null;
  published: string | null;
  description: string | null;
  /** The chapters in reading order. */
  chapters: string[];
  images: string[];
  cover: string | undefined;
  toc: TocEntry[];
}

interface Item {
  path: string;
  type: string;
  properties: string[];
}

const FONT_OBFUSCATION = ['http://www.idpf.org/2008/embedding', 'http://ns.adobe.com/pdf/enc#RC'];
const MAX_TOC_ENTRIES = 5000;
const MAX_TOC_DEPTH = 20;

export async function readBook(archive: Archive): Promise<Book> {
  await refuseDrm(archive);
  const container = await readXml(archive, 'META-INF/container.xml');
  const opfPath = container && descendants(container, 'rootfile')[0]?.getAttribute('full-path');
  const opf = opfPath ? await readXml(archive, opfPath) : undefined;
  if (!opfPath || !opf)
    throw new ExtractionFailure('E_EPUB_INVALID', 'The file is a zip archive, but not an EPUB.');

  const items = manifest(opf, opfPath);
  const spine = descendants(opf, 'spine')[0];
  const chapters = (spine ? childrenNamed(spine, 'itemref') : [])
    .map((itemref) => items.get(itemref.getAttribute('idref') ?? ''))
    .filter((item) => item !== undefined && /^(application\/xhtml\+xml|text\/html)$/.test(item.type))
    .map((item) => (item as Item).path);
  const all = [...items.values()];
  return {
    ...describe(opf),
    chapters: [...new Set(chapters)],
    images: all
      .filter(({ type }) => type.startsWith('image/') && !type.includes('svg'))
      .map(({ path }) => path),
    cover: coverOf(opf, items),
    toc: await tableOfContents(archive, all, items.get(spine?.getAttribute('toc') ?? '')),
  };
}

/** Throws when the book is encrypted. Obfuscated fonts are common and allowed. */
async function refuseDrm(archive: Archive): Promise<void> {
  const encryption = await readXml(archive, 'META-INF/encryption.xml');
  const methods = encryption ? descendants(encryption, 'EncryptionMethod') : [];
  if (methods.some((method) => !FONT_OBFUSCATION.includes(method.getAttribute('Algorithm') ?? ''))) {
    throw new ExtractionFailure('E_EPUB_INVALID', 'The book is protected by DRM. Upload a copy without DRM.');
  }
}

async function readXml(archive: Archive, path: string): Promise<XmlElement | undefined> {
  const bytes = await archive.read(path);
  return bytes && parseXml(bytes);
}

function manifest(opf: XmlElement, opfPath: string): Map<string, Item> {
  return new Map(
    descendants(opf, 'item').map((item) => [
      item.getAttribute('id') ?? '',
      {
        path: resolve(item.getAttribute('href') ?? '', opfPath),
        type: (item.getAttribute('media-type') ?? '').toLowerCase(),
        properties: (item.getAttribute('properties') ?? '').split(/\s+/),
      },
    ]),
  );
}

function describe(opf: XmlElement) {
  const metadata = descendants(opf, 'metadata')[0];
  const all = (name: string) =>
    (metadata ? childrenNamed(metadata, name) : [])
      .map((element) => clean(element.textContent))
      .filter(Boolean);
  const first = (name: string) => all(name)[0] ?? null;
  const language = first('language');
  return {
    title: first('title'),
    author: all('creator').join(', ') || null,
    publisher: first('publisher'),
    language: language && /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(language) ? language : null,
    published: /^\d{4}(-\d{2}(-\d{2})?)?/.exec(first('date') ?? '')?.[0] ?? null,
    description: first('description'),
  };
}

/** Finds the cover. EPUB 3 marks it with a property; EPUB 2 names it in the metadata. */
function coverOf(opf: XmlElement, items: Map<string, Item>): string | undefined {
  const marked = [...items.values()].find(({ properties }) => properties.includes('cover-image'));
  const named = descendants(opf, 'meta').find((meta) => meta.getAttribute('name') === 'cover');
  return (marked ?? items.get(named?.getAttribute('content') ?? ''))?.path;
}

async function tableOfContents(archive: Archive, items: Item[], ncx: Item | undefined): Promise<TocEntry[]> {
  const nav = items.find(({ properties }) => properties.includes('nav'));
  const entries: TocEntry[] = [];
  const document = await readXml(archive, nav?.path ?? ncx?.path ?? '');
  if (document && nav) {
    const navs = descendants(document, 'nav');
    const toc = navs.find((element) => element.getAttribute('epub:type') === 'toc') ?? navs[0];
    for (const list of toc ? childrenNamed(toc, 'ol') : []) collectNav(list, nav.path, 0, entries);
  } else if (document && ncx) {
    for (const map of descendants(document, 'navMap')) collectNcx(map, ncx.path, 0, entries);
  }
  return entries;
}

function collectNav(list: XmlElement, base: string, depth: number, entries: TocEntry[]): void {
  for (const item of childrenNamed(list, 'li')) {
    const label = [...item.children].find((child) => ['a', 'span'].includes(localName(child)));
    addEntry(entries, { label: label?.textContent, href: label?.getAttribute('href'), base, depth });
    if (depth < MAX_TOC_DEPTH)
      for (const inner of childrenNamed(item, 'ol')) collectNav(inner, base, depth + 1, entries);
  }
}

function collectNcx(parent: XmlElement, base: string, depth: number, entries: TocEntry[]): void {
  for (const point of childrenNamed(parent, 'navPoint')) {
    const label = childrenNamed(point, 'navLabel')[0]?.textContent;
    const href = childrenNamed(point, 'content')[0]?.getAttribute('src');
    addEntry(entries, { label, href, base, depth });
    if (depth < MAX_TOC_DEPTH) collectNcx(point, base, depth + 1, entries);
  }
}

function addEntry(
  entries: TocEntry[],
  {
    label = '',
    href,
    base,
    depth,
  }: { label: string | undefined; href: string | null | undefined; base: string; depth: number },
): void {
  const title = clean(label);
  if (title && entries.length < MAX_TOC_ENTRIES)
    entries.push({ title, path: href ? resolve(href, base) : '', depth });
}

/** Resolves a relative address to a path in the archive; empty when it leads out of the archive. */
function resolve(href: string, from: string): string {
  const base = `https://epub.invalid/${from.split('/').map(encodeURIComponent).join('/')}`;
  if (!URL.canParse(href, base)) return '';
  const { origin, pathname } = new URL(href, base);
  try {
    return origin === 'https://epub.invalid' ? decodeURIComponent(pathname.slice(1)) : '';
  } catch {
    return '';
  }
}

function clean(text: string): string {
  return canonicalLines(text.replaceAll('\n', ' ')).slice(0, 1000);
}
