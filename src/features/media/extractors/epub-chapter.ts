import type { FragmentLayout } from '../../../contract/media.ts';
import { decodeText } from '../../../platform/egress/charset.ts';
import { escapeAttribute } from '../text/markup.ts';
import type { StyleImages } from '../text/page-styles.ts';
import { sanitizeNodes } from '../text/sanitize.ts';
import { fragmentOf, targetId } from '../text/targets.ts';
import { isUpright, writingModeOf } from '../text/writing-mode.ts';
import type { Archive } from './archive.ts';
import type { Drawings } from './drawings.ts';
import { BOOK, pathOf, urlOf } from './epub-address.ts';
import {
  createPageStyles,
  isPicturePage,
  pageLayout,
  type StyleBudget,
  sizeOfPage,
  wrapPage,
} from './epub-fixed-page.ts';
import { OPEN } from './epub-links.ts';
import type { PageSize, SpineItem } from './epub-package.ts';
import { type PageMark, takePageMarks } from './epub-page-marks.ts';
import type { Styles } from './epub-styles.ts';
import { type PageDocument, PageElement, parsePage } from './page-dom.ts';
import { fromPage } from './page-markup.ts';
import { preparePage } from './prepare-page.ts';
import { asHtml, refuseEntities } from './xml.ts';

/** Chapters are often in a few elements, one in the other. */
const MOST_ROOTS = 6;

export interface ChapterContext {
  archive: Archive;
  drawings: Drawings;
  styles: Styles;
  styleBudget: StyleBudget;
  /** Finds the images for the style of a file. */
  imagesAt(path: string): StyleImages;
  /** Returns the URL of an image that is shown. */
  imageAt(path: string): string | undefined;
  /** Returns the number of a chapter in the book. */
  numberOf(path: string): number | undefined;
  /** Called with every id of the chapter, as it is in the HTML. */
  onId(id: string): void;
  /** The writing mode of the book, for chapters that do not set their own. */
  writingMode: string | undefined;
  pageSize: PageSize | undefined;
}

export interface ReadChapter {
  html: string;
  layout: FragmentLayout | null;
  /** The printed pages that begin in it. */
  marks: PageMark[];
}

/** Reads a chapter, or a page with a layout of its own. A page whose size is unknown is read as a chapter. */
export async function readChapter(item: SpineItem, context: ChapterContext): Promise<ReadChapter> {
  const bytes = await context.archive.read(item.path);
  if (!bytes) return { html: '', layout: null, marks: [] };
  const { text } = decodeText(bytes, undefined);
  refuseEntities(text);
  const page = parsePage(asHtml(text));
  const marks = takePageMarks(page);
  const size = item.isFixed ? sizeOfPage(page, context.pageSize) : undefined;
  const isFixed = size !== undefined || (item.isFixed && isPicturePage(page));
  const read = isFixed ? fixedPage(page, item.path, size, context) : flowingText(page, item.path, context);
  return { ...(await read), marks };
}

async function flowingText(page: PageDocument, path: string, context: ChapterContext) {
  const sheets = (await context.styles.of(page, path)).map(({ writing }) => writing);
  const writing_mode = writingModeOf(rootsOf(page), sheets, context.writingMode);
  if (writing_mode)
    for (const element of page.querySelectorAll('*'))
      if (isUpright(element, sheets)) element.setAttribute('data-upright', '');
  const formulas = preparePage(page, context.drawings);
  const html = sanitizeNodes(page.body?.childNodes.map((node) => fromPage(node, formulas)) ?? [], {
    ...addressing(path, context),
    rewriteId: (id, isLinked) => {
      context.onId(escapeAttribute(targetId(id)));
      return isLinked ? targetId(id) : OPEN + targetId(id);
    },
  });
  return { html, layout: writing_mode ? { type: 'vertical' as const, writing_mode } : null };
}

/** Returns the elements that contain all text of a chapter, from the outside in. */
function rootsOf(page: PageDocument): PageElement[] {
  const roots = [page.documentElement, page.body].filter((element) => element !== null);
  let inner = page.body;
  while (inner && roots.length < MOST_ROOTS) {
    const nodes = inner.childNodes.filter((node) => node instanceof PageElement || node.data.trim() !== '');
    const [only] = nodes;
    inner = nodes.length === 1 && only instanceof PageElement ? only : null;
    if (inner) roots.push(inner);
  }
  return roots;
}

async function fixedPage(
  page: PageDocument,
  path: string,
  size: PageSize | undefined,
  context: ChapterContext,
) {
  const sheets = await context.styles.of(page, path);
  const formulas = preparePage(page, context.drawings, { isFixed: true });
  const pageStyles = createPageStyles(context.imagesAt(path), context.styleBudget);
  const html = sanitizeNodes([fromPage(wrapPage(page), formulas)], {
    ...addressing(path, context),
    rewriteId: (id) => {
      const kept = targetId(id);
      context.onId(escapeAttribute(kept));
      pageStyles.addId(kept);
      return kept;
    },
    classesOf: pageStyles.classesOf,
  });
  const styles = pageStyles.sheet(sheets, (image) => void context.imageAt(image));
  return { html, layout: pageLayout(size, styles) };
}

/** The addresses of a chapter. */
function addressing(path: string, { drawings, imageAt, numberOf }: ChapterContext) {
  const linkTo = (url: string) => {
    const target = pathOf(url);
    const number = target === path ? undefined : numberOf(target);
    if (number === undefined) return undefined;
    const id = fragmentOf(url, { pageUrls: [urlOf(target)] });
    return id ? `#${OPEN}${number}/${targetId(id)}` : `#${OPEN}${number}`;
  };
  return {
    baseUrl: urlOf(path),
    // External images are removed, because their server would learn who reads the book and when.
    rewriteImage: (url: string) => drawings.urlOf(url) ?? imageAt(pathOf(url)),
    rewriteLink: (url: string) => (url.startsWith(BOOK) ? linkTo(url) : url),
  };
}
