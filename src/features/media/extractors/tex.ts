import temml from 'temml';
import { type Element, isElement, parseMarkup } from '../text/markup.ts';

const MAX_LENGTH = 10_000;
/** The most characters of TeX in one document. A long textbook has a tenth of it. */
const MAX_TOTAL = 1_000_000;
/** Definitions can multiply a text, so a formula that has some must be short, and may expand fewer macros. */
const MAX_LENGTH_WITH_DEFINITIONS = 1000;
const MAX_EXPANSIONS = 500;
const MAX_EXPANSIONS_WITH_DEFINITIONS = 100;
const DEFINITION =
  /\\(?:(?:[egx]?def|let|futurelet|(?:re|provide)?newcommand|renewcommand|providecommand)(?![A-Za-z]))/;

/** Converts the TeX formulas of one document to MathML. Formulas after the limit are not converted. */
export function createTexReader() {
  let left = MAX_TOTAL;

  /** Returns undefined for TeX that cannot be converted. */
  return (tex: string, isDisplay: boolean): Element | undefined => {
    const hasDefinitions = DEFINITION.test(tex);
    if (tex.length > Math.min(left, hasDefinitions ? MAX_LENGTH_WITH_DEFINITIONS : MAX_LENGTH))
      return undefined;
    left -= tex.length;
    try {
      const markup = temml.renderToString(tex, {
        displayMode: isDisplay,
        throwOnError: true,
        trust: false,
        maxExpand: hasDefinitions ? MAX_EXPANSIONS_WITH_DEFINITIONS : MAX_EXPANSIONS,
        maxSize: [10, 10],
      });
      return parseMarkup(markup)
        .filter(isElement)
        .find(({ tagName }) => tagName === 'math');
    } catch {
      // TeX of the page that is wrong or not supported. The reader sees its source.
      return undefined;
    }
  };
}
