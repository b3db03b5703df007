import { parseUrl } from '../../../platform/url.ts';
import { canonicalLines } from '../text/canonical-text.ts';
import { type Archive, DRM, invalid } from './archive.ts';
import { languageTag } from './extraction.ts';
import { childrenNamed, descendants, localName, parseXml, type XmlElement } from './xml.ts';

interface TocEntry {
  title: string;
  /** The path of its target in the archive; empty when it has none. */
  path: string;
  depth: number;
}

interface Item {
  path: string;
  type: string;
  properties: string[];
}

const FONT_OBFUSCATION = ['http://www.idpf.org/2008/embedding', 'http://ns.adobe.com/pdf/enc#RC'];
const MAX_TOC_ENTRIES = 5000;
const MAX_TOC_DEPTH = 20;

/** Reads the metadata and the contents of a book from its package document. `chapters` are in reading order; a page of a comic is one. */
export async function readBook(archive: Archive) {
  await refuseDrm(archive);
  const container = await readXml(archive, 'META-INF/container.xml');
  const opfPath = container && descendants(container, 'rootfile')[0]?.getAttribute('full-path');
  const opf = opfPath ? await readXml(archive, opfPath) : undefined;
  if (!opfPath || !opf) throw invalid('The file is a zip archive, but not an EPUB.');

  const items = manifest(opf, opfPath);
  const spine = descendants(opf, 'spine')[0];
  const chapters = (spine ? childrenNamed(spine, 'itemref') : [])
    .map((itemref) => items.get(itemref.getAttribute('idref') ?? ''))
    .filter((item) => item !== undefined)
    .filter(({ type }) => /^(application\/xhtml\+xml|text\/html|image\/.+)$/.test(type))
    .map(({ path }) => path);
  const all = [...items.values()];
  return {
    ...describe(opf),
    chapters: [...new Set(chapters)],
    images: all.filter(({ type }) => type.startsWith('image/')).map(({ path }) => path),
    cover: coverOf(opf, items),
    toc: await tableOfContents(archive, all, items.get(spine?.getAttribute('toc') ?? '')),
  };
}

/** Throws when the book is encrypted. Obfuscated fonts are common and allowed. */
async function refuseDrm(archive: Archive): Promise<void> {
  const encryption = await readXml(archive, 'META-INF/encryption.xml');
  const methods = encryption ? descendants(encryption, 'EncryptionMethod') : [];
  if (methods.some((method) => !FONT_OBFUSCATION.includes(method.getAttribute('Algorithm') ?? '')))
    throw invalid(DRM);
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
  const named = descendants(opf, 'meta').find((meta) => meta.getAttribute('name') === 'cover');
  return (marked ?? items.get(named?.getAttribute('content') ?? ''))?.path;
}

async function tableOfContents(archive: Archive, items: Item[], ncx: Item | undefined): Promise<TocEntry[]> {
  const nav = items.find(({ properties }) => properties.includes('nav'));
  const toc: Toc = { base: nav?.path ?? ncx?.path ?? '', entries: [] };
  const document = await readXml(archive, toc.base);
  if (document && nav) {
    const navs = descendants(document, 'nav');
    const root = navs.find((element) => element.getAttribute('epub:type') === 'toc') ?? navs[0];
    for (const list of root ? childrenNamed(root, 'ol') : []) collectNav(toc, list, 0);
  } else if (document) {
    for (const map of descendants(document, 'navMap')) collectNcx(toc, map, 0);
  }
  return toc.entries;
}

/** A table of contents so far. Its addresses are relative to `base`. */
interface Toc {
  base: string;
  entries: TocEntry[];
}

function collectNav(toc: Toc, list: XmlElement, depth: number): void {
  for (const item of childrenNamed(list, 'li')) {
    const label = [...item.children].find((child) => ['a', 'span'].includes(localName(child)));
    addEntry(toc, label?.textContent, label?.getAttribute('href'), depth);
    if (depth < MAX_TOC_DEPTH)
      for (const inner of childrenNamed(item, 'ol')) collectNav(toc, inner, depth + 1);
  }
}

function collectNcx(toc: Toc, parent: XmlElement, depth: number): void {
  for (const point of childrenNamed(parent, 'navPoint')) {
    const label = childrenNamed(point, 'navLabel')[0]?.textContent;
    addEntry(toc, label, childrenNamed(point, 'content')[0]?.getAttribute('src'), depth);
    if (depth < MAX_TOC_DEPTH) collectNcx(toc, point, depth + 1);
  }
}

function addEntry({ base, entries }: Toc, label = '', href: string | null = '', depth: number): void {
  const title = clean(label);
  if (title && entries.length < MAX_TOC_ENTRIES)
    entries.push({ title, path: href ? resolve(href, base) : '', depth });
}

/** Stands for the archive in URLs, so that the relative addresses in a book can be resolved. */
export const BOOK = 'https://epub.invalid/';

export function urlOf(path: string): string {
  return BOOK + path.split('/').map(encodeURIComponent).join('/');
}

/** Returns the path in the archive of a URL; empty when it leads out of the archive. */
export function pathOf(url: string): string {
  try {
    return url.startsWith(BOOK) ? decodeURIComponent(new URL(url).pathname.slice(1)) : '';
  } catch {
    return '';
  }
}

function resolve(href: string, from: string): string {
  const url = parseUrl(href, urlOf(from));
  return url ? pathOf(url.href) : '';
}

function clean(text: string): string {
  return canonicalLines(text.replaceAll('\n', ' ')).slice(0, 1000);
}
