import { decodeText } from '../../../platform/egress/charset.ts';
import { importsOf, type PageRule, pageRules, parseSheet, type StyleImages } from '../text/page-styles.ts';
import { type WritingStyles, writingStyles } from '../text/writing-mode.ts';
import type { Archive } from './archive.ts';
import { resolvePath } from './epub-address.ts';
import type { PageDocument } from './page-dom.ts';

/** A style sheet of a book. */
interface Sheet {
  readonly writing: WritingStyles;
  /** The rules that may apply to a fixed page. */
  readonly rules: PageRule[];
}

export type Styles = ReturnType<typeof createStyles>;

const MOST_OF_CHAPTER = 40;
const MOST_IMPORTS = 5;
/** Style sheets of a book beyond this are ignored. */
const MAX_TOTAL_BYTES = 8 * 1024 * 1024;

/** Returns the CSS of a style element in XHTML, in which sections and entities of XML are not part of the CSS. */
function embeddedCss(source: string): string {
  return source.replace(/<!\[CDATA\[|\]\]>/g, '').replaceAll('&gt;', '>');
}

/** The style sheets of a book, each parsed once. `imagesAt` finds the images for a file of the archive. */
export function createStyles(archive: Archive, imagesAt: (path: string) => StyleImages) {
  const files = new Map<string, Sheet[]>();
  let left = MAX_TOTAL_BYTES;

  async function parsed(css: string, path: string, depth: number): Promise<Sheet[]> {
    left -= css.length;
    const sheet = left < 0 ? undefined : parseSheet(css);
    if (!sheet) return [];
    const imported: Sheet[] = [];
    for (const href of depth < MOST_IMPORTS ? importsOf(sheet) : [])
      imported.push(...(await ofFile(resolvePath(href, path), depth + 1)));
    let rules: PageRule[] | undefined;
    return [
      ...imported.slice(0, MOST_OF_CHAPTER),
      {
        writing: writingStyles(sheet),
        get rules() {
          rules ??= pageRules(sheet, imagesAt(path));
          return rules;
        },
      },
    ];
  }

  async function ofFile(path: string, depth: number): Promise<Sheet[]> {
    const known = files.get(path);
    if (known) return known;
    // A sheet that imports itself gets nothing from that.
    files.set(path, []);
    const bytes = await archive.read(path);
    const sheets = bytes ? await parsed(decodeText(bytes, undefined).text, path, depth) : [];
    files.set(path, sheets);
    return sheets;
  }

  return {
    /** Returns the style sheets of a chapter, in their order. */
    async of(page: PageDocument, chapter: string): Promise<Sheet[]> {
      const sheets: Sheet[] = [];
      for (const element of page.querySelectorAll('link,style')) {
        if (sheets.length >= MOST_OF_CHAPTER) break;
        if (element.localName === 'style')
          sheets.push(...(await parsed(embeddedCss(element.source), chapter, 0)));
        else if (/^\s*stylesheet\s*$/i.test(element.getAttribute('rel') ?? ''))
          sheets.push(...(await ofFile(resolvePath(element.getAttribute('href') ?? '', chapter), 0)));
      }
      return sheets.slice(0, MOST_OF_CHAPTER);
    },
  };
}
