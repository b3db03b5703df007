import { canonicalLine } from '../text/canonical-text.ts';
import { fragmentOf } from '../text/targets.ts';
import type { Archive } from './archive.ts';
import { resolvePath, urlOf } from './epub-address.ts';
import { readXml } from './epub-xml.ts';
import { attributeOf, childrenNamed, descendants, localName, type XmlElement } from './xml.ts';

/** A part of a book that its navigation names. */
export interface NavTarget {
  title: string;
  /** The path in the archive; empty when there is no target. */
  path: string;
  /** The id of the element in it. */
  id: string | undefined;
}

type TocEntry = NavTarget & { depth: number };
/** `type` is a term of EPUB 3, such as `cover` or `bodymatter`. */
type LandmarkTarget = NavTarget & { type: string };

interface Navigation {
  toc: TocEntry[];
  /** The pages of the printed edition. */
  pages: NavTarget[];
  landmarks: LandmarkTarget[];
}

const MAX_TOC_ENTRIES = 5000;
const MAX_TOC_DEPTH = 20;
const MAX_PAGES = 20_000;
const MAX_LANDMARKS = 50;
const LONGEST_PAGE_NUMBER = 20;

/** Terms of EPUB 2 that have another name in EPUB 3. */
const TERMS: Record<string, string> = { text: 'bodymatter', start: 'bodymatter', 'title-page': 'titlepage' };

/** The navigation document of EPUB 3, the NCX of EPUB 2, and the package with its guide. */
interface Sources {
  nav: string | undefined;
  ncx: string | undefined;
  opf: XmlElement;
  opfPath: string;
}

/** Reads the contents, the page list and the landmarks. What the navigation document lacks is read from the older files. */
export async function readNavigation(
  archive: Archive,
  { nav, ncx, opf, opfPath }: Sources,
): Promise<Navigation> {
  const navigation: Navigation = { toc: [], pages: [], landmarks: [] };
  const document = nav === undefined ? undefined : await readXml(archive, nav);
  if (nav !== undefined && document) readNav(navigation, document, nav);
  const isComplete = navigation.toc.length > 0 && navigation.pages.length > 0;
  const old = ncx === undefined || isComplete ? undefined : await readXml(archive, ncx);
  if (ncx !== undefined && old) readNcx(navigation, old, ncx);
  if (navigation.landmarks.length === 0) readGuide(navigation, opf, opfPath);
  for (const target of Object.values(navigation).flat()) target.path = archive.nameOf(target.path);
  return navigation;
}

function readNav(navigation: Navigation, document: XmlElement, base: string): void {
  const navs = descendants(document, 'nav');
  const ofType = (type: string) => navs.find((nav) => typesOf(nav).includes(type));
  const toc = ofType('toc') ?? navs[0];
  for (const list of toc ? childrenNamed(toc, 'ol') : []) collectNav(navigation.toc, list, base, 0);
  const pages = ofType('page-list');
  for (const link of pages ? descendants(pages, 'a') : [])
    addPage(navigation.pages, targetOf(link.textContent, attributeOf(link, 'href'), base));
  const landmarks = ofType('landmarks');
  for (const link of landmarks ? descendants(landmarks, 'a') : [])
    addLandmark(
      navigation.landmarks,
      typesOf(link)[0],
      targetOf(link.textContent, attributeOf(link, 'href'), base),
    );
}

function readNcx(navigation: Navigation, document: XmlElement, base: string): void {
  if (navigation.toc.length === 0)
    for (const map of descendants(document, 'navMap')) collectNcx(navigation.toc, map, base, 0);
  if (navigation.pages.length > 0) return;
  for (const page of descendants(document, 'pageTarget')) {
    const target = ncxTarget(page, base);
    addPage(navigation.pages, { ...target, title: target.title || (attributeOf(page, 'value') ?? '') });
  }
}

function readGuide({ landmarks }: Navigation, opf: XmlElement, base: string): void {
  const [guide] = descendants(opf, 'guide');
  for (const reference of guide ? childrenNamed(guide, 'reference') : []) {
    const target = targetOf(attributeOf(reference, 'title') ?? '', attributeOf(reference, 'href'), base);
    addLandmark(landmarks, (attributeOf(reference, 'type') ?? '').toLowerCase(), target);
  }
}

function typesOf(element: XmlElement): string[] {
  return (attributeOf(element, 'epub:type') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
}

function collectNav(entries: TocEntry[], list: XmlElement, base: string, depth: number): void {
  for (const item of childrenNamed(list, 'li')) {
    const label = [...item.children].find((child) => ['a', 'span'].includes(localName(child)));
    addEntry(entries, { ...targetOf(label?.textContent, attributeOf(label, 'href'), base), depth });
    if (depth < MAX_TOC_DEPTH)
      for (const inner of childrenNamed(item, 'ol')) collectNav(entries, inner, base, depth + 1);
  }
}

function collectNcx(entries: TocEntry[], parent: XmlElement, base: string, depth: number): void {
  for (const point of childrenNamed(parent, 'navPoint')) {
    addEntry(entries, { ...ncxTarget(point, base), depth });
    if (depth < MAX_TOC_DEPTH) collectNcx(entries, point, base, depth + 1);
  }
}

function addEntry(entries: TocEntry[], entry: TocEntry): void {
  if (entry.title && entries.length < MAX_TOC_ENTRIES) entries.push(entry);
}

function addPage(pages: NavTarget[], page: NavTarget): void {
  const title = pageNumber(page.title);
  if (title && page.path && pages.length < MAX_PAGES) pages.push({ ...page, title });
}

function addLandmark(landmarks: LandmarkTarget[], term: string | undefined, target: NavTarget): void {
  if (!term || !/^[a-z][a-z.-]{0,40}$/.test(term) || !target.path) return;
  const type = TERMS[term] ?? term;
  if (landmarks.length < MAX_LANDMARKS && !landmarks.some((known) => known.type === type))
    landmarks.push({ ...target, title: canonicalLine(target.title, 200), type });
}

function ncxTarget(element: XmlElement, base: string): NavTarget {
  const label = childrenNamed(element, 'navLabel')[0]?.textContent;
  return targetOf(label, attributeOf(childrenNamed(element, 'content')[0], 'src'), base);
}

function targetOf(label = '', href = '', base: string): NavTarget {
  const path = href ? resolvePath(href, base) : '';
  const id = href && path ? fragmentOf(href, { baseUrl: urlOf(base), pageUrls: [urlOf(path)] }) : undefined;
  return { title: canonicalLine(label), path, id: id || undefined };
}

/** Returns the number of a printed page: `12` for `Page 12.`; empty for what is not a number or a short name. */
export function pageNumber(label: string): string {
  const number = canonicalLine(label)
    .replace(/^(page|p\.|seite|s\.|página|pagina)\s*(?=[\divxlc])/i, '')
    .replace(/[.\s]+$/, '');
  return number.length <= LONGEST_PAGE_NUMBER ? number : '';
}
