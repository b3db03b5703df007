import { describe, expect, test } from 'vitest';
import { isUsefulTitle, layOut, paragraphsOf, type TextItem, titleOf, withoutMargins } from './pdf-layout.ts';

const HEIGHT = 800;

/** Lines below one another, 14 points apart. */
function column(x: number, y: number, lines: string[], size = 10): TextItem[] {
  return lines.map((text, index) => ({ text, x, y: y - index * 14, width: text.length * size * 0.5, size }));
}

const textOf = (items: TextItem[]) => paragraphsOf(layOut(items, HEIGHT));

describe('the reading order', () => {
  const left = [
    'The first column begins here and',
    'goes on for a few more lines until',
    'it ends at the bottom of the page.',
  ];
  const right = [
    'The second column begins where',
    'the first one has ended, and it',
    'has as many lines as the first.',
  ];

  test('is the left column before the right one', () => {
    expect(textOf([...column(300, 700, right), ...column(50, 700, left)])).toEqual([
      left.join(' '),
      right.join(' '),
    ]);
  });

  test('is a heading over both columns first', () => {
    const heading = column(
      50,
      740,
      ['A heading that is as wide as both of the columns below it, and more'],
      16,
    );
    expect(textOf([...column(50, 700, left), ...column(300, 700, right), ...heading])).toEqual([
      heading[0]?.text,
      left.join(' '),
      right.join(' '),
    ]);
  });

  test('is row by row in a table', () => {
    const names = column(50, 700, ['Ada', 'Bea', 'Cleo', 'Dan']);
    const years = column(300, 700, ['1815', '1901', '1969', '2001']);
    const [text] = [textOf([...names, ...years]).join(' ')];
    expect(text).toBe('Ada 1815 Bea 1901 Cleo 1969 Dan 2001');
  });

  test('is left to right within a line, whatever the order in the file', () => {
    const words = ['one', 'two', 'three'].map((text, index) => ({
      text,
      x: 50 + index * 30,
      y: 700,
      width: 25,
      size: 10,
    }));
    expect(textOf(words.toReversed())).toEqual(['one two three']);
  });
});

test('a line of Hebrew is read from the right', () => {
  const words = ['שלום', 'עולם'].map((text, index) => ({
    text,
    x: 200 - index * 40,
    y: 700,
    width: 30,
    size: 10,
  }));
  expect(textOf(words.toReversed())).toEqual(['שלום עולם']);
});

describe('paragraphs', () => {
  test('join lines, and words that were divided', () => {
    expect(textOf(column(50, 700, ['A lamp was light-', 'ed in the well-', 'Known house.']))).toEqual([
      'A lamp was lighted in the well- Known house.',
    ]);
  });

  test('begin after a gap and with an indent', () => {
    const first = column(50, 700, ['The first paragraph has two', 'lines of text.']);
    const second = column(50, 650, ['The second one follows a gap', 'and has two, too.']);
    const third = column(65, 622, ['The third is indented.']);
    expect(textOf([...first, ...second, ...third])).toHaveLength(3);
  });
});

describe('headers and footers', () => {
  const page = (number: number) =>
    layOut(
      [
        ...column(50, 780, ['Journal of Lamps']),
        ...column(50, 700, [`The text of page ${'one two three four five'.split(' ')[number]} is its own.`]),
        ...column(300, 20, [`- ${number + 1} -`]),
      ],
      HEIGHT,
    );

  test('that come again are left out', () => {
    const pages = withoutMargins([0, 1, 2, 3].map(page));
    expect(pages.flatMap(paragraphsOf)).toEqual(
      ['one', 'two', 'three', 'four'].map((word) => `The text of page ${word} is its own.`),
    );
  });

  test('stay on pages that have nothing else', () => {
    const slide = (number: number) => layOut(column(50, 780, [`Slide ${number}`]), HEIGHT);
    expect(withoutMargins([1, 2, 3, 4].map(slide)).flatMap(paragraphsOf)).toEqual([
      'Slide 1',
      'Slide 2',
      'Slide 3',
      'Slide 4',
    ]);
  });

  test('of a document with two pages stay, because nothing shows that they are headers', () => {
    expect(paragraphsOf(withoutMargins([0, 1].map(page))[0] ?? page(0))[0]).toContain('Journal of Lamps');
  });
});

describe('the title of the first page', () => {
  const text = column(50, 600, Array(20).fill('Text of a usual size that fills the page.'));

  test('is its largest line, on two lines as well', () => {
    const title = column(50, 740, ['On the Lighting of', 'Lamps'], 20);
    expect(titleOf(layOut([...title, ...text], HEIGHT))).toBe('On the Lighting of Lamps');
  });

  test('has no NUL, which the database does not store', () => {
    const title = column(50, 740, ['On\0 the Lighting\0'], 20);
    expect(titleOf(layOut([...title, ...text], HEIGHT))).toBe('On the Lighting');
  });

  test('is unknown when all text has one size, or the largest is at the bottom', () => {
    expect(titleOf(layOut(text, HEIGHT))).toBeNull();
    expect(titleOf(layOut([...text, ...column(50, 100, ['BUY NOW'], 30)], HEIGHT))).toBeNull();
  });

  test.each([
    ['Untitled', false],
    ['Microsoft Word - thesis_final2.doc', false],
    ['paper.tex', false],
    ['', false],
    ['On Lamps', true],
  ])('%j in the metadata is useful: %s', (title, expected) => {
    expect(isUsefulTitle(title)).toBe(expected);
  });
});
