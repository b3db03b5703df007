import { expect, test } from 'vitest';
import { useDatabase } from '../../../../test/support/database.ts';
import { INVISIBLE, UNSPACED } from './characters.ts';

const { sql } = useDatabase();

/** The characters of the first two planes, which have all punctuation and symbols, without those that NFKD replaces. */
const characters = Array.from({ length: 0x1ffff - 0x80 }, (_, n) => n + 0x80)
  .filter((point) => point < 0xd800 || point > 0xdfff)
  .map((point) => String.fromCodePoint(point))
  .filter((character) => character.normalize('NFKD') === character);

/** Returns the code points of characters that, between two letters, give other words than expected. */
async function wrong(given: string[], isExpected: (words: string) => boolean): Promise<string[]> {
  const [{ words }] = await sql<[{ words: string[] }]>`
    select array_agg(search_words('a' || character || 'b') order by place) as words
    from unnest(${given}::text[]) with ordinality as given (character, place)`;
  return given
    .filter((_, index) => !isExpected(words[index] ?? ''))
    .map((character) => character.codePointAt(0)?.toString(16) ?? '');
}

test('every punctuation mark, symbol and space separates words', async () => {
  const separators = characters.filter((character) => /[\p{P}\p{S}\p{Z}]/u.test(character));
  expect(separators.length).toBeGreaterThan(4000);
  expect(await wrong(separators, (words) => words === ' a b ')).toEqual([]);
});

test('letters, marks and digits do not', async () => {
  const isSpecial = new RegExp(`[${UNSPACED}${INVISIBLE}\\u0300-\\u036f]`, 'u');
  const letters = characters.filter(
    // Some of the thousands of characters of large scripts are enough.
    (character, index) =>
      (character < '\u1200' || index % 10 === 0) &&
      /[\p{L}\p{M}\p{N}]/u.test(character) &&
      !isSpecial.test(character),
  );
  expect(letters.length).toBeGreaterThan(3000);
  expect(await wrong(letters, (words) => /^ a[^ ]+b $/.test(words))).toEqual([]);
});

test('invisible characters are removed', async () => {
  const isInvisible = new RegExp(`^[${INVISIBLE}]$`, 'u');
  const invisible = [...characters.filter((character) => isInvisible.test(character)), '\u{e0100}'];
  expect(invisible.length).toBeGreaterThan(40);
  expect(await wrong(invisible, (words) => words === ' ab ')).toEqual([]);
});

test('characters of scripts without spaces stand alone', async () => {
  const isUnspaced = new RegExp(`^(?=\\p{L})[${UNSPACED}]$`, 'u');
  const some = characters.filter((character, index) => isUnspaced.test(character) && index % 10 === 0);
  expect(some.length).toBeGreaterThan(2000);
  expect(await wrong(some, (words) => /^ a . b $/u.test(words))).toEqual([]);
});
