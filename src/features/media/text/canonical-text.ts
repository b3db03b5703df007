import { toUSVString } from 'node:util';
import { normalForm } from '../../../contract/normal-form.ts';
import { attribute, isHtml, parseMarkup, walk } from './markup.ts';

/** What begins and ends a line. */
const BLOCKS = new Set(
  (
    'address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption figure ' +
    'footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol option p pre section summary table ' +
    'tbody td tfoot th thead tr ul'
  ).split(' '),
);

const SILENT = new Set('head noembed noframes script style template title textarea'.split(' '));

/**
 * The text of a fragment, as it is searched, quoted and highlighted: a function of its HTML alone. Composed characters,
 * one space for any run of them, one line for a block, none of them empty.
 */
export function canonicalText(html: string): string {
  const parts: string[] = [];
  walk(parseMarkup(html), {
    text: (value) => void parts.push(value.replace(LINE_ENDS, ' ')),
    enter(element) {
      const { tagName } = element;
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

/** The same of text in which line feeds are all that separates lines. */
export function canonicalLines(text: string): string {
  // NUL and halves of characters belong into no text, and the database takes neither.
  return normalForm(toUSVString(text.replaceAll('\0', '')))
    .split('\n')
    .map((line) => line.replace(SPACES, ' ').trim())
    .filter((line) => line !== '')
    .join('\n');
}

/** A line feed in the source of a page is a space like any other. */
const LINE_ENDS = /[\n\r]/g;

/** Every character that Unicode calls white space; JavaScript leaves out U+0085. */
const SPACES = /[\s\u0085]+/g;
