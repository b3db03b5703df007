import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createQuoteFinder, type Lost } from './find-quote.ts';
import { quoteAt } from './quote.ts';

const TEXT =
  'The harbour froze in January. Nobody had seen ice on the harbour before. In March the boats went out again, and the ' +
  'harbour was loud. By summer, nobody spoke of the ice.';

function lose(text: string, exact: string, from = 0): Lost {
  const start = text.indexOf(exact, from);
  const range = { start, end: start + exact.length };
  return { fragment_idx: 0, ...range, ...quoteAt(text, range) };
}

const find = (lost: Lost, ...texts: string[]) =>
  createQuoteFinder(texts.map((canonical_text, idx) => ({ idx, canonical_text })))(lost);
const found = (lost: Lost, ...texts: string[]) => {
  const place = find(lost, ...texts);
  return place && texts[place.fragment_idx]?.slice(place.start, place.end);
};

describe('a passage is found', () => {
  test('where it was, even if it is a single letter', () => {
    expect(find(lose(TEXT, 'h'), TEXT)).toEqual({ fragment_idx: 0, start: 1, end: 2 });
  });

  test('after text was inserted before it', () => {
    const lost = lose(TEXT, 'Nobody had seen ice');
    expect(find(lost, `A new beginning. ${TEXT}`)).toEqual({ fragment_idx: 0, start: 47, end: 66 });
  });

  test('in another fragment', () => {
    expect(find(lose(TEXT, 'the boats went out'), 'A preface.', TEXT)).toMatchObject({ fragment_idx: 1 });
  });

  test('by its context, when the same words occur several times', () => {
    const second = lose(TEXT, 'harbour', TEXT.indexOf('ice on the'));
    const place = find(second, `It begins here. ${TEXT}`);
    expect(place?.start).toBe(second.start + 16);
  });

  test('when a few of its letters were changed', () => {
    const lost = lose(TEXT, 'In March the boats went out again');
    expect(found(lost, TEXT.replace('the boats went', 'the boats sailed'))).toBe(
      'In March the boats sailed out again',
    );
  });
});

/** Words that are unlike each other, so that a property can tell where a passage went. */
const word = fc.stringMatching(/^[a-zäé𝒜]{2,9}$/u);

/** A passage as another program knows it: its words, and nothing around them. */
const bare = (exact: string): Lost => ({
  fragment_idx: 0,
  start: 0,
  end: exact.length,
  exact,
  prefix: '',
  suffix: '',
});

describe('words without context are found', () => {
  test('where they occur once, also in another fragment, with other white space', () => {
    expect(find(bare('nobody spoke of the ice'), 'A preface.', TEXT)).toEqual({
      fragment_idx: 1,
      start: TEXT.indexOf('nobody spoke'),
      end: TEXT.indexOf('nobody spoke') + 23,
    });
    expect(found(bare('before.\n\nIn  March'), TEXT)).toBe('before. In March');
    expect(found(bare(' on the harbour\u00a0before.'), TEXT)).toBe('on the harbour before.');
    expect(found(bare('Ice.'), 'Ice.')).toBe('Ice.');
  });

  test('nowhere, if they occur twice, are too short, or are not there', () => {
    expect(find(bare('The harbour froze'), TEXT, TEXT)).toBeUndefined();
    expect(find(bare('harbour was the'), 'the harbour was the harbour was the end')).toBeUndefined();
    // It is where an unknown position would be, and that says nothing.
    expect(find(bare('The harb'), TEXT)).toBeUndefined();
    expect(find(bare('The lighthouse was dark.'), TEXT)).toBeUndefined();
  });

  test('right, wherever they are and however they are spaced', () => {
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 20, maxLength: 60 }),
        fc.nat(),
        fc.constantFrom(' ', '\n', '\n\n ', '\u00a0'),
        (given, at, space) => {
          const text = given.join(' ');
          const first = at % (given.length - 8);
          const passage = given.slice(first, first + 8);
          const squeezed = text.replaceAll(' ', '');
          fc.pre(squeezed.indexOf(passage.join('')) === squeezed.lastIndexOf(passage.join('')));
          expect(found(bare(passage.join(space)), `${text} end`)).toBe(passage.join(' '));
        },
      ),
    );
  });
});

describe('a passage is lost', () => {
  test('when it is not there', () => {
    expect(
      find(lose(TEXT, 'the boats went out'), 'Another text about something else entirely.'),
    ).toBeUndefined();
  });

  test('when two places are equally likely', () => {
    const row =
      'yes no yes no yes no yes no yes no yes no yes no yes no yes no yes no yes no yes no yes no yes no ';
    const lost = lose(row, 'yes', 50);
    expect(find(lost, `A heading. ${row}${row}`)).toBeUndefined();
  });

  test('when only a short word is left of it, with other words around it', () => {
    expect(find(lose(TEXT, 'ice'), 'There is an ice cream van outside.')).toBeUndefined();
  });

  test('when its word has become a part of a longer one', () => {
    const lost = lose('In January the harbour had nothing but ice', 'ice');
    expect(find(lost, 'In January the harbour had nothing but iced tea')).toBeUndefined();
    expect(find(lost, 'In January the harbour had nothing but dice')).toBeUndefined();
  });

  test('when only its half was kept', () => {
    const lost = lose(TEXT, 'Nobody had seen ice on the harbour before');
    expect(find(lost, TEXT.replace('Nobody had seen ice on the', 'The'))).toBeUndefined();
  });
});

const words = fc.array(word, { minLength: 20, maxLength: 120 });
/** Words that differ from each other and from inserted ones: only then is it known which place is the right one. */
const distinctWords = fc.uniqueArray(word, { minLength: 20, maxLength: 120 });
const insertedWord = fc.stringMatching(/^[а-я]{2,9}$/u);
const edit = fc.record({
  at: fc.nat(),
  remove: fc.nat(3),
  insert: fc.array(insertedWord, { maxLength: 4 }),
});

/** Each word with its number, so that the words of a passage are known in the edited text. */
type Numbered = { word: string; number: number };

test('whatever is edited, a passage that is placed is where its words are, or it is reported as lost', () => {
  let placed = 0;
  fc.assert(
    fc.property(
      distinctWords,
      fc.nat(),
      fc.integer({ min: 1, max: 12 }),
      fc.array(edit, { maxLength: 6 }),
      (given, at, length, edits) => {
        const original: Numbered[] = given.map((one, number) => ({ word: one, number }));
        const first = at % original.length;
        const marked = original.slice(first, first + length);
        const text = original.map((one) => one.word).join(' ');
        const start = original.slice(0, first).reduce((sum, one) => sum + one.word.length + 1, 0);
        const end = start + marked.map((one) => one.word).join(' ').length;
        const lost = { fragment_idx: 0, start, end, ...quoteAt(text, { start, end }) };

        const edited = [...original];
        for (const { at: place, remove, insert } of edits) {
          const inserted = insert.map((one) => ({ word: one, number: -1 }));
          edited.splice(place % (edited.length + 1), remove, ...inserted);
        }
        const newText = edited.map((one) => one.word).join(' ');
        const place = find(lost, newText);
        if (!place) return;
        placed += 1;
        // The numbers of the words that the place covers.
        let offset = 0;
        const covered = new Set<number>();
        for (const one of edited) {
          if (offset < place.end && offset + one.word.length > place.start) covered.add(one.number);
          offset += one.word.length + 1;
        }
        const survivors = edited.filter(({ number }) => marked.some((one) => one.number === number));
        expect(survivors.some(({ number }) => covered.has(number))).toBe(true);
        expect(newText.slice(place.start, place.end).length).toBeLessThan((end - start) * 1.5 + 1);
      },
    ),
    { numRuns: 2000 },
  );
  expect(placed).toBeGreaterThan(500);
});

test('a passage is found again whenever its words are untouched and occur once', () => {
  fc.assert(
    fc.property(words, fc.array(word, { maxLength: 30 }), fc.nat(), (given, before, at) => {
      const text = given.join(' ');
      const first = at % (given.length - 8);
      const exact = given.slice(first, first + 8).join(' ');
      fc.pre(exact.length >= 24 && text.split(exact).length === 2);
      const newText = [...before, ...given].join(' ');
      fc.pre(newText.split(exact).length === 2);
      expect(found(lose(text, exact), newText)).toBe(exact);
    }),
  );
});

test('looking in a book does not take forever', { timeout: 20_000 }, () => {
  const book = Array.from({ length: 30 }, (_, chapter) => ({
    idx: chapter,
    canonical_text: `${'lorem ipsum dolor sit amet '.repeat(2000)}${chapter} ${TEXT}`,
  }));
  const lost = { ...lose(TEXT, 'In March the boats went out again'), exact: 'x'.repeat(500) };
  expect(createQuoteFinder(book)(lost)).toBeUndefined();
});

test('a text of one letter ends the search soon, and has no certain place', { timeout: 20_000 }, () => {
  const endless = [{ idx: 0, canonical_text: 'a'.repeat(1_000_000) }];
  const quote = { prefix: 'x', suffix: '', fragment_idx: 0, start: 0, end: 0 };
  for (const exact of ['a'.repeat(20_000), `${'a'.repeat(511)}b`, 'a'.repeat(300)]) {
    expect(createQuoteFinder(endless)({ ...quote, exact })).toBeUndefined();
  }
});

test('an edited passage is found far inside a long text', () => {
  const filler = Array.from({ length: 3000 }, (_, n) => `Line ${n} of the log.`).join(' ');
  const lost = lose(TEXT, 'In March the boats went out again');
  const edited = TEXT.replace('the boats went', 'these boats went');
  expect(found(lost, `${filler} ${edited} ${filler}`)).toBe('In March these boats went out again');
});

describe('a passage over several fragments is found', () => {
  const LINES = ['The harbour froze', 'in January, and nobody', 'had seen ice before', 'on the harbour.'];
  const lost = { ...lose(LINES.join('\n'), 'froze\nin January, and nobody\nhad seen') };

  test('where it was', () => {
    expect(find(lost, ...LINES)).toEqual({ fragment_idx: 0, start: lost.start, end: lost.end });
  });

  test('after other fragments, with lines divided elsewhere, and in one fragment', () => {
    const { start, end } = lost;
    expect(find(lost, 'A heading', ...LINES)).toEqual({ fragment_idx: 1, start, end });
    const divided = LINES.join(' ').replaceAll(', ', ',\n').split('\n');
    expect(find(lost, 'A heading', ...divided)).toEqual({ fragment_idx: 1, start, end });
    expect(find(lost, 'A heading', LINES.join(' '))).toEqual({ fragment_idx: 1, start, end });
  });

  test('without context, where its words occur once', () => {
    expect(find(bare('nobody had seen ice'), ...LINES)).toEqual({ fragment_idx: 1, start: 16, end: 35 });
    expect(find(bare('nobody had seen ice'), ...LINES, ...LINES)).toBeUndefined();
  });

  test('right, or it is lost, however the fragments are cut', () => {
    fc.assert(
      fc.property(words, fc.nat(), fc.array(fc.nat(), { maxLength: 9 }), (given, at, cuts) => {
        const first = at % (given.length - 8);
        const exact = given.slice(first, first + 8).join(' ');
        fc.pre(given.join(' ').split(exact).length === 2);
        const spaced = given.map((one, index) =>
          cuts.some((cut) => cut % given.length === index) ? `${one}\n` : `${one} `,
        );
        const texts = spaced.join('').trim().split('\n');
        const place = find(lose(given.join(' '), exact), ...texts);
        if (!place) return;
        const after = texts.slice(place.fragment_idx).join('\n');
        expect(after.slice(place.start, place.end).replaceAll('\n', ' ')).toBe(exact);
      }),
    );
  });
});
