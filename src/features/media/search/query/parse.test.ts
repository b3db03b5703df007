import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { print, queries } from '../../../../../test/support/queries.ts';
import { NexusError } from '../../../../contract/errors.ts';
import { parseQuery } from './parse.ts';
import { wordsToShow } from './words.ts';

const word = (text: string) => ({ type: 'words', text, isPhrase: false, isUnfinished: false });
const phrase = (text: string) => ({ ...word(text), isPhrase: true });
const all = (...of: object[]) => ({ type: 'all', of });
const any = (...of: object[]) => ({ type: 'any', of });
const not = (of: object) => ({ type: 'not', of });

/** Parses a query whose last word is complete. */
const parse = (text: string) => parseQuery(text, { lastWordIsWhole: true });

const RANDOM = queries({
  words: [
    'fog',
    'É-clair',
    '12:30',
    'http://a.example/b?c=(d)',
    'f(x)',
    "it's",
    '日本',
    'C++',
    'Dune:',
    'x,y',
  ],
  tags: ['a', 'a/b', 'to do', 'or', 'é (2)'],
  libraries: ['Home', 'a "b" \\', '“q”', 'or', ' ('.trim()],
  sites: ['a.example', 'the guardian'],
  authors: ['Ada', 'ada keeper', 'o’neil "x"'],
  days: ['2024-02-29', '2026-01-01', '2026-12-31', '1999-06-15'],
});

test('a printed query is parsed to the same query', () => {
  fc.assert(
    fc.property(RANDOM, (query) => {
      const text = print(query);
      fc.pre(text.length <= 1000);
      expect(parseQuery(text)).toEqual(query);
    }),
    { numRuns: 500 },
  );
});

test('whatever is typed is a query, or has a mistake at a position in it', { tags: 'slow' }, () => {
  const PIECES = [
    '(',
    ')',
    '-',
    '"',
    '“',
    '\\',
    ' ',
    'or',
    'tag:',
    'is:',
    'added:',
    '>',
    '..',
    '2026',
    'length:',
    'fog',
    ':',
    '\u0000',
    '日',
    '𝒳',
  ];
  const garbage = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'binary' }),
    fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((some) => some.join('')),
    RANDOM.chain((query) => fc.nat().map((at) => print(query).slice(0, at % print(query).length))),
  );
  fc.assert(
    fc.property(garbage, (text) => {
      try {
        parseQuery(text);
      } catch (error) {
        if (!(error instanceof NexusError)) throw error;
        expect(error.code).toBe('E_INVALID_QUERY');
        expect(error.details?.position).toBeGreaterThanOrEqual(0);
        expect(error.details?.position).toBeLessThanOrEqual(text.length);
      }
    }),
    { numRuns: 500 },
  );
});

describe('a query is', () => {
  test.each([
    ['fog horns', all(word('fog'), word('horns'))],
    ['"fog horns" -salt', all(phrase('fog horns'), not(word('salt')))],
    ['“fog horns”', phrase('fog horns')],
    ['"fog horns', phrase('fog horns')],
    ['a b or c', any(all(word('a'), word('b')), word('c'))],
    ['a (b OR c)', all(word('a'), any(word('b'), word('c')))],
    ['(a)', word('a')],
    ['-(a or b)', not(any(word('a'), word('b')))],
    ['-(-a)', not(not(word('a')))],
    ['or-else "or" order', all(word('or-else'), phrase('or'), word('order'))],
    ['fog - horns & --', all(word('fog'), word('horns'))],
    ['& | !', { type: 'none' }],
    ['"" or (&)', { type: 'none' }],
    ['http://a.example 12:30 Dune: f(x)', all(...['http://a.example', '12:30', 'Dune:', 'f(x)'].map(word))],
    ['TAG:Oceans/ Tides', null],
    ['TAG:"Oceans / Tides"', { type: 'tag', value: 'Oceans/Tides' }],
    ['-is:Finished', not({ type: 'is', value: 'finished' })],
    ['(tag:a)', { type: 'tag', value: 'a' }],
    ['kind:book', { type: 'kind', value: 'epub' }],
    ['kind:constructor', null],
    ['site:https://www.a.example/b', { type: 'site', value: 'a.example' }],
    ['length:<10', { type: 'length', min: null, max: 9 }],
    ['length:>10', { type: 'length', min: 11, max: null }],
    ['length:10', { type: 'length', min: 10, max: 10 }],
    ['length:5..', { type: 'length', min: 5, max: null }],
    ['length:9..5', null],
    ['length:..', null],
  ])('%s', (text, expected) => {
    if (expected) expect(parse(text)).toEqual(expected);
    else expect(() => parse(text)).toThrow(NexusError);
  });

  test.each([
    ['2026', '2026-01-01', '2027-01-01'],
    ['2026-02', '2026-02-01', '2026-03-01'],
    ['2024-02-29', '2024-02-29', '2024-03-01'],
    ['=2026-12', '2026-12-01', '2027-01-01'],
    ['>2026-01', '2026-02-01', null],
    ['>=2026-01', '2026-01-01', null],
    ['<2026-01', null, '2026-01-01'],
    ['<=2026-01', null, '2026-02-01'],
    ['2025-11..2026-02-03', '2025-11-01', '2026-02-04'],
    ['..2025', null, '2026-01-01'],
    ['2025..', '2025-01-01', null],
    ['9999', '9999-01-01', null],
  ])('added:%s', (value, from, until) => {
    expect(parse(`added:${value}`)).toEqual({ type: 'added', range: { from, until } });
  });

  test('with an age', () => {
    expect(parse('added:<2w')).toEqual({ type: 'added', range: { days: 14, isYounger: true } });
    expect(parse('published:>1y')).toEqual({ type: 'published', range: { days: 365, isYounger: false } });
  });

  test.each([
    '2026-13',
    '2026-02-30',
    '0000',
    '26',
    '2026..2025',
    '..',
    '>..2026',
    '<999y',
    '7d',
    'x',
    '2026-1',
  ])('not added:%s', (value) => expect(() => parse(`added:${value}`)).toThrow(NexusError));
});

describe('a mistake', () => {
  test.each([
    ['fog foo:bar', 4, /no foo: here.*tag:, is:, in:/],
    ['fog tag:', 4, /Write a value after tag:/],
    ['is:read', 3, /is: takes unread, reading/],
    ['(fog', 0, /not closed/],
    ['fog )', 4, /closes nothing/],
    ['fog ()', 4, /nothing between/],
    ['or fog', 0, /before “or”/],
    ['fog or', 4, /follow “or”/],
    ['fog or or x', 4, /follow “or”/],
    ['(fog or) x', 5, /follow “or”/],
    ['  added:soon', 8, /takes a year, a month or a day/],
    ['tag:a,b', 4, /without commas/],
    [`${'('.repeat(21)}a${')'.repeat(21)}`, 20, /20 levels/],
    ['a '.repeat(51), 100, /50 words and conditions/],
    ['a'.repeat(1001), 1000, /1000 characters/],
  ])('in %s', (text, position, message) => {
    const mistake = () => parseQuery(text);
    expect(mistake).toThrow(message);
    expect(mistake).toThrow(expect.objectContaining({ code: 'E_INVALID_QUERY', details: { position } }));
  });
});

test('the last word may be unfinished', () => {
  const isUnfinished = (text: string) => {
    const query = parseQuery(text);
    const last = query.type === 'all' || query.type === 'any' ? query.of.at(-1) : query;
    return last?.type === 'words' && last.isUnfinished;
  };
  expect(['lig', 'a lig', 'a or lig', 'éc', '12345'].filter((text) => !isUnfinished(text))).toEqual([]);
  expect(['lig ', 'li', 'a -lig', '"lig"', 'fog.lig', '日本'].filter(isUnfinished)).toEqual([]);
  expect(parse('lig')).toEqual(word('lig'));
  expect(parse('a'.repeat(1000))).toEqual(word('a'.repeat(1000)));
});

test('wanted words are shown, excluded ones and conditions are not', () => {
  expect(wordsToShow(parse('fog-horns (a or -b) tag:x -"y z" 日本 "fog lamps"'))).toEqual([
    'fog',
    'horns',
    'a',
    '日本',
    'lamps',
  ]);
});
