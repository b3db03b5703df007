import { toUSVString } from 'node:util';
import { normalForm } from '../../../contract/normal-form.ts';
import { attribute, type Element, isHtml, isMathMl, parseMarkup, walk } from './markup.ts';

/** Elements that start and end a line. */
const BLOCKS = new Set(
  (
    'address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption figure ' +
    'footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol option p pre section summary table ' +
    'tbody td tfoot th thead tr ul'
  ).split(' '),
);

const SILENT = new Set('head noembed noframes script style template title textarea'.split(' '));

/**
 * Returns the canonical text of a fragment, which is searched, quoted and highlighted. It depends on the HTML alone:
 * composed characters, one space for each run of white space, one line for each block, no empty lines.
 */
export function canonicalText(html: string): string {
  const parts: string[] = [];
  walk(parseMarkup(html), {
    text: (value) => void parts.push(value.replace(LINE_ENDS, ' ')),
    enter(element) {
      const { tagName } = element;
      if (isFormula(element)) parts.push(formulaLine(element));
      if (!isHtml(element) || SILENT.has(tagName) || attribute(element, 'hidden') !== undefined) return false;
      if (attribute(element, 'aria-hidden') === 'true') return false;
      if (BLOCKS.has(tagName)) parts.push('\n');
      return true;
    },
    leave({ tagName }) {
      if (BLOCKS.has(tagName)) parts.push('\n');
    },
  });
  return canonicalLines(parts.join(''));
}

/** Whether an element is a formula with a linear form, which the sanitiser has written. */
function isFormula(element: Element): boolean {
  return element.tagName === 'math' && isMathMl(element);
}

/** Returns the linear form of a formula, which is read in place of its elements. */
function formulaLine(math: Element): string {
  const text = (attribute(math, 'alttext') ?? '').replace(LINE_ENDS, ' ');
  return attribute(math, 'display') === 'block' ? `\n${text}\n` : text;
}

/** Like `canonicalText`, for plain text whose lines are separated by line feeds. */
export function canonicalLines(text: string): string {
  // PostgreSQL stores neither NUL nor unpaired surrogates.
  return normalForm(toUSVString(text.replaceAll('\0', '')))
    .split('\n')
    .map((line) => line.replace(SPACES, ' ').trim())
    .filter((line) => line !== '')
    .join('\n');
}

/** Returns a text as one line, such as a title. It ends at a whole character: half of one cannot be stored as JSON. */
export function canonicalLine(text: string, longest = 1000): string {
  return canonicalLines(text.replace(LINE_ENDS, ' '))
    .slice(0, longest)
    .replace(/[\ud800-\udbff]$/, '');
}

/** A line feed in HTML source is a space. */
const LINE_ENDS = /[\n\r]/g;

/** All white space of Unicode; JavaScript's \s lacks U+0085. */
const SPACES = /[\s\u0085]+/g;
