import fc from 'fast-check';
import { parseHTML } from 'linkedom';
import { describe, expect, test } from 'vitest';
import { canonicalText } from '../../../src/features/media/text/canonical-text.ts';
import { SENTENCES } from '../../../test/support/fixtures/pages.ts';
import {
  createRangeFinder,
  createSpanFinder,
  lettersUpTo,
  type PageNode,
  textRunsIn,
} from './text-ranges.ts';

/** Parses HTML, and returns its canonical text and a function that reads the page at a range of it. */
function open(html: string) {
  const { document } = parseHTML(`<html><body><div id="root">${html}</div></body></html>`);
  const runs = textRunsIn(document.getElementById('root') as unknown as PageNode);
  const text = canonicalText(html);
  const find = createRangeFinder(runs, text);
  const spanOf = createSpanFinder(runs, text);
  return {
    text,
    find,
    /** Finds the span of a range that was found for a span. */
    back(start: number, end: number) {
      const range = find(start, end);
      if (!range) return undefined;
      const lettersAt = ({ node, offset }: { node: PageNode; offset: number }) =>
        lettersUpTo(
          runs,
          runs.findIndex((run) => run.node === node),
          offset,
        );
      return spanOf(lettersAt(range.start), lettersAt(range.end));
    },
    at(start: number, end: number): string | undefined {
      const range = find(start, end);
      if (!range) return undefined;
      const [first, last] = [range.start, range.end].map(({ node }) =>
        runs.findIndex((run) => run.node === node),
      ) as [number, number];
      if (first === last) return runs[first]?.text.slice(range.start.offset, range.end.offset);
      const between = runs.slice(first + 1, last).map((run) => run.text);
      return [
        runs[first]?.text.slice(range.start.offset),
        ...between,
        runs[last]?.text.slice(0, range.end.offset),
      ].join('');
    },
    of(words: string): string | undefined {
      const start = text.indexOf(words);
      if (start < 0) throw new Error(`The text has no “${words}”: ${text}`);
      return this.at(start, start + words.length);
    },
  };
}

const letters = (text: string | undefined) => text?.normalize('NFC').replace(/[\s\u0085]+/g, '');

describe('ranges of the canonical text in the page', () => {
  test.each([
    ['in one paragraph', '<p>The lamp burned.</p>', 'lamp', 'lamp'],
    ['across nested inline elements', '<p>The <b>la<i>m</i></b>p burned.</p>', 'lamp', 'lamp'],
    ['across a line break', '<p>the keeper<br>of the lamp</p>', 'keeper\nof', 'keeperof'],
    [
      'across blocks',
      '<h2>A lamp</h2>\n<ul>\n<li>one</li>\n<li>two</li></ul>',
      'lamp\none\ntwo',
      'lamp\n\none\ntwo',
    ],
    [
      'where spaces are many',
      '<p>old \n\t  harbour&nbsp;&nbsp;wall</p>',
      'harbour wall',
      'harbour\u00a0\u00a0wall',
    ],
    ['behind emoji', '<p>👩‍👩‍👧‍👦🏳️‍🌈 the <em>lamp</em> 👍🏽</p>', 'lamp 👍🏽', 'lamp 👍🏽'],
    ['behind letters that are composed', '<p>cafe\u0301 nai\u0308ve lamp</p>', 'lamp', 'lamp'],
    ['behind marks in another order', '<p>شَّمس نور</p>', 'نور', 'نور'],
    ['behind Hangul in parts', '<p>\u1112\u1161\u11ab\u1100\u116e\u11a8 책</p>', '책', '책'],
    [
      'behind what is not read',
      '<p><span hidden>no</span><svg><text>no</text></svg>The lamp</p>',
      'lamp',
      'lamp',
    ],
  ])('%s', (_, html, words, found) => {
    expect(open(html).of(words)).toBe(found);
  });

  test('a letter that two elements share is marked as a whole', () => {
    expect(open('<p>caf<b>e</b><i>\u0301</i>!</p>').of('café')).toBe('cafe\u0301');
  });

  test.each(Object.entries(SENTENCES))('every word of a sentence in %s', (language, sentence) => {
    const html = `<p>${sentence.replace(' ', ' <b>').slice(0, -4)}</b>${sentence.slice(-4)}</p><p>${sentence}</p>`;
    const page = open(html);
    const words = [...new Intl.Segmenter(language, { granularity: 'word' }).segment(page.text)];
    for (const { segment, index, isWordLike } of words) {
      if (isWordLike) expect(letters(page.at(index, index + segment.length))).toBe(letters(segment));
    }
  });

  test('an invalid range is not found', () => {
    const { find, text } = open('<p>The lamp</p>\n<p>burned</p>');
    expect(find(0, text.length + 1)).toBeUndefined();
    expect(find(-1, 3)).toBeUndefined();
    expect(find(3, 3)).toBeUndefined();
    expect(find(text.indexOf('\n'), text.indexOf('\n') + 1)).toBeUndefined();
    expect(createRangeFinder([], 'The lamp')(0, 3)).toBeUndefined();
  });

  test('a range of another text is found only where the texts are the same', () => {
    const { document } = parseHTML('<div id="root"><p>The lantern burned</p></div>');
    const find = createRangeFinder(
      textRunsIn(document.getElementById('root') as unknown as PageNode),
      'The lamp burned',
    );
    expect(find(0, 3)).toBeDefined();
    expect(find(4, 8)).toBeUndefined();
    expect(find(9, 15)).toBeUndefined();
  });

  describe('a formula', () => {
    const MATH = '<math alttext="πr^2"><mi>π</mi><msup><mi>r</mi><mn>2</mn></msup></math>';
    const html = `<p>The area <i>is</i> ${MATH}, or so.</p><p>Not ${MATH}${MATH}.</p>`;
    const { document } = parseHTML(`<div id="root">${html}</div>`);
    const root = document.getElementById('root') as unknown as PageNode;
    const text = canonicalText(html);
    const find = createRangeFinder(textRunsIn(root), text);
    const [first, second] = [...document.querySelectorAll('p')] as unknown as [PageNode, PageNode];
    const rangeOf = (words: string) => find(text.indexOf(words), text.indexOf(words) + words.length);

    test('is read as its linear form', () => {
      expect(text).toBe('The area is πr^2, or so.\nNot πr^2πr^2.');
      expect(textRunsIn(root).map((run) => run.text)).toEqual([
        'The area ',
        'is',
        ' ',
        'πr^2',
        ', or so.',
        'Not ',
        'πr^2',
        'πr^2',
        '.',
      ]);
    });

    test.each(['πr^2', 'r^2', 'π', '^'])('is marked as a whole by %s', (words) => {
      expect(rangeOf(words)).toEqual({ start: { node: first, offset: 3 }, end: { node: first, offset: 4 } });
    });

    test('is marked as a whole by a range that starts or ends in it', () => {
      const ending = rangeOf('is πr');
      expect([ending?.start.node.nodeValue, ending?.start.offset, ending?.end]).toEqual([
        'is',
        0,
        { node: first, offset: 4 },
      ]);
      const beginning = rangeOf('2, or');
      expect([beginning?.start, beginning?.end.node.nodeValue, beginning?.end.offset]).toEqual([
        { node: first, offset: 3 },
        ', or so.',
        4,
      ]);
    });

    test('beside another one has a place of its own', () => {
      const at = text.lastIndexOf('πr^2');
      expect(find(at, at + 4)).toEqual({
        start: { node: second, offset: 2 },
        end: { node: second, offset: 3 },
      });
      expect(find(at - 1, at + 1)).toEqual({
        start: { node: second, offset: 1 },
        end: { node: second, offset: 3 },
      });
    });

    test('does not move the words after it', () => {
      const found = rangeOf('or so');
      expect([found?.start.node.nodeValue, found?.start.offset]).toEqual([', or so.', 2]);
    });
  });

  test('with any markup, a range contains the letters of the canonical text', () => {
    const piece = fc.constantFrom(
      'a',
      'Z',
      ' ',
      '\n',
      '\u00a0',
      'é',
      'e\u0301',
      '\u0323\u0301',
      'ß',
      '漢',
      '😀',
      '👩‍👧',
      'ש\u05bc\u05b8',
      '\u1112\u1161\u11ab',
      '<b>',
      '</b>',
      '<br>',
      '<p>',
      '</p>',
      '<li>',
      '<i hidden>x</i>',
      '<i aria-hidden="true"><math alttext="x"></math></i>',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.nat(60), fc.nat(20), (pieces, start, length) => {
        const page = open(pieces.join(''));
        const found = page.at(start, start + length);
        if (found !== undefined) expect(letters(found)).toBe(letters(page.text.slice(start, start + length)));
      }),
    );
  });
});

describe('a page of a PDF, whose lines are in another order', () => {
  /** The text layer has the lines as they are in the file: a header, the right column, the left one with a divided word. */
  const runs = ['Journal of lamps', 'The lamp is on. ', 'A keeper light-', 'ed the lamp at night.'].map(
    (text, node) => ({
      node,
      text,
    }),
  );
  const text = 'A keeper lighted the lamp at night.\nThe lamp is on.';
  const find = createRangeFinder(runs, text, { isReordered: true });
  const of = (words: string, from = 0) => {
    const start = text.indexOf(words, from);
    return find(start, start + words.length);
  };

  test('has the text elsewhere', () => {
    expect(of('keeper')).toEqual({ start: { node: 2, offset: 2 }, end: { node: 2, offset: 8 } });
    expect(of('is on')).toEqual({ start: { node: 1, offset: 9 }, end: { node: 1, offset: 14 } });
  });

  test('has a divided word', () => {
    expect(of('lighted the')).toEqual({ start: { node: 2, offset: 9 }, end: { node: 3, offset: 6 } });
  });

  test('does not have what is not on it', () => {
    expect(createRangeFinder(runs, 'Something else.', { isReordered: true })(0, 9)).toBeUndefined();
  });
});

describe('the span of a range', () => {
  const ends = (text: string) => text.trim() === text && text !== '';

  test.each([
    ['<p>One two <b>three</b> four.</p><p>Five.</p>', 'two three four.\nFive'],
    ['<p>Caf\u0065\u0301 et 𝒜 the <i>naïve</i> 𝒜𝒜</p>', '𝒜 the naïve 𝒜'],
    ['<ul><li>First</li><li>Second</li></ul>', 'First\nSecond'],
  ])('%s', (html, words) => {
    const page = open(html);
    const start = page.text.indexOf(words.normalize('NFC'));
    expect(start, page.text).toBeGreaterThanOrEqual(0);
    expect(page.back(start, start + words.length)).toEqual({ start, end: start + words.length });
  });

  test('is the span that it was found for, wherever it is', () => {
    const piece = fc.constantFrom(
      'sea',
      'é',
      'e\u0301',
      '𝒜',
      ' ',
      '<b>',
      '</b>',
      '<p>',
      '</p>',
      'ß',
      '漢',
      '\u00ad',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.nat(), fc.nat(), (pieces, from, length) => {
        const page = open(pieces.join(''));
        const start = from % Math.max(1, page.text.length);
        const end = Math.min(page.text.length, start + 1 + (length % 12));
        fc.pre(ends(page.text.slice(start, end)));
        fc.pre(
          !/[\udc00-\udfff]/.test(page.text[start] ?? '') && !/[\udc00-\udfff]/.test(page.text[end] ?? ''),
        );
        const back = page.back(start, end);
        expect(back && page.text.slice(back.start, back.end)).toBe(page.text.slice(start, end));
      }),
      { numRuns: 500 },
    );
  });
});
