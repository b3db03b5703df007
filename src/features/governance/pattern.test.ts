import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { coverOf, united } from './cover.ts';
import { compilePattern } from './pattern.ts';
import { PatternError } from './pattern-syntax.ts';

const cover = (pattern: string, text: string) =>
  coverOf(compilePattern(pattern), text).map(({ start, end }) => text.slice(start, end));

describe('a pattern finds', () => {
  test.each([
    ['falcon', 'The Falcon has landed, falcon!', ['Falcon', 'falcon']],
    ['\\d{3}-\\d{4}', 'call 555-1234 or 55-12345', ['555-1234']],
    ['\\b\\d{4}\\b', '1234 12345 x1234 99 2024', ['1234', '2024']],
    ['(cat|dog)s?', 'cats, a dog and catsup', ['cats', 'dog', 'cats']],
    ['[A-C]x', 'ax Bx dx', ['ax', 'Bx']],
    ['[^a-z ]+', 'abc 12!! def', ['12!!']],
    ['a.c', 'abc a\nc a😀c', ['abc', 'a😀c']],
    ['ab*', 'abbb a', ['abbb', 'a']],
    ['x{2,3}', 'x xx xxxx', ['xx', 'xxxx']],
    ['x{2,}y', 'xy xxxxy', ['xxxxy']],
    ['ÜBER\\w+', 'das Überbleibsel', ['Überbleibsel']],
    ['\\$\\d+\\.\\d\\d', 'for $12.50 only', ['$12.50']],
    ['(?:ab)+', 'ababab a', ['ababab']],
    ['[\\d-]+x', '1-2x', ['1-2x']],
    ['\\S+@\\S+', 'write to a@b.example now', ['a@b.example']],
    ['привет', 'ПРИВЕТ мир', ['ПРИВЕТ']],
  ])('%s in %j', (pattern, text, found) => {
    expect(cover(pattern, text)).toEqual(found);
  });
});

test.each([
  '(',
  ')',
  'a)',
  '[',
  '[]',
  '[z-a]',
  '*',
  'a**',
  'a{',
  'a{x}',
  'a{3,2}',
  'a{101}',
  '\\',
  '\\1',
  '(?=a)',
  '(?<n>a)',
  '^a',
  'a$',
  'a*',
  '',
  '\\b',
  'a|',
  '((a{99}){99}){99}',
])('%j is refused with a reason', (pattern) => {
  expect(() => compilePattern(pattern)).toThrow(PatternError);
});

/** Patterns that JavaScript also supports, over two letters. */
const pattern = fc.letrec((tie) => ({
  node: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\b'),
    fc.tuple(tie('node'), tie('node')).map(([one, two]) => `${one}${two}`),
    fc.tuple(tie('node'), tie('node')).map(([one, two]) => `(?:${one}|${two})`),
    fc
      .tuple(tie('node'), fc.constantFrom('*', '+', '?', '{2}', '{1,3}'))
      .map(([one, often]) => `(?:${one})${often}`),
  ),
})).node;

test('any pattern covers what JavaScript finds from any position', () => {
  fc.assert(
    fc.property(
      pattern,
      fc.string({ unit: fc.constantFrom('a', 'b', ' '), maxLength: 12 }),
      (source, text) => {
        let machine: ReturnType<typeof compilePattern>;
        try {
          machine = compilePattern(source);
        } catch (error) {
          expect(error).toBeInstanceOf(PatternError);
          return;
        }
        // Every substring that matches as a whole, with its context.
        const ranges = [];
        for (let start = 0; start < text.length; start++) {
          for (let end = start + 1; end <= text.length; end++) {
            const anchored = new RegExp(`(?<=^.{${start}})(?:${source})(?=.{${text.length - end}}$)`, 'isu');
            if (anchored.test(text)) ranges.push({ start, end });
          }
        }
        const isCovered = (found: { start: number; end: number }[]) =>
          Array.from(text, (_, at) => found.some(({ start, end }) => start <= at && at < end));
        expect(isCovered(coverOf(machine, text))).toEqual(isCovered(united(ranges)));
      },
    ),
    { numRuns: 2000 },
  );
});

test.each([
  ['(a+)+b', 'a'.repeat(200_000)],
  ['(a|a)*c', 'a'.repeat(200_000)],
  ['(\\w+\\s?)+x', 'word '.repeat(40_000)],
  ['a(.*z)?', 'a'.repeat(200_000)],
])('%s ends on a text that was made to be slow', (source, text) => {
  const begun = process.cpuUsage();
  coverOf(compilePattern(source), text);
  // Backtracking would never end.
  expect(process.cpuUsage(begun).user).toBeLessThan(10_000_000);
});
