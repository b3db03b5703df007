import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Edit } from '../../contract/branches.ts';
import { compareTexts } from './compare.ts';
import { applyEdit, countCodePoints, EditOutOfRange, lengthAfter, textHash } from './edit.ts';

describe('offsets count code points', () => {
  test.each<[string, Edit, string]>([
    ['👩‍🚀 flies', { kind: 'delete', at: 3, length: 1 }, '👩‍🚀flies'],
    ['👩‍🚀 flies', { kind: 'delete', at: 1, length: 2 }, '👩 flies'],
    ['a😀b', { kind: 'insert', at: 2, text: '!' }, 'a😀!b'],
    ['a😀b', { kind: 'replace', at: 1, length: 1, text: '🎉🎉' }, 'a🎉🎉b'],
    // A letter and its combining accent are two code points, until they are composed.
    ['cafe\u0301!', { kind: 'delete', at: 4, length: 1 }, 'cafe!'],
    ['cafe\u0301!', { kind: 'normalize', form: 'NFC' }, 'café!'],
    ['café!', { kind: 'normalize', form: 'NFD' }, 'cafe\u0301!'],
    ['ﬁne', { kind: 'normalize', form: 'NFKC' }, 'fine'],
    ['', { kind: 'insert', at: 0, text: 'first' }, 'first'],
  ])('%j after %j is %j', (text, edit, expected) => {
    expect(applyEdit(text, edit)).toBe(expected);
  });

  test.each<[string, Edit]>([
    ['😀', { kind: 'insert', at: 2, text: 'x' }],
    ['😀', { kind: 'delete', at: 0, length: 2 }],
    ['', { kind: 'replace', at: 0, length: 1, text: 'x' }],
  ])('an edit beyond the end of %j is refused: %j', (text, edit) => {
    expect(() => applyEdit(text, edit)).toThrow(EditOutOfRange);
  });
});

const anyText = fc.string({ unit: 'binary', maxLength: 40 });

test('any edits give the same result as on a list of code points', () => {
  fc.assert(
    fc.property(anyText, anyText, fc.nat(45), fc.nat(45), (text, inserted, at, length) => {
      const model = [...text];
      expect(countCodePoints(text)).toBe(model.length);
      const edit: Edit = { kind: 'replace', at, length, text: inserted };
      if (at + length > model.length) return void expect(() => applyEdit(text, edit)).toThrow(EditOutOfRange);
      model.splice(at, length, ...inserted);
      expect(applyEdit(text, edit)).toBe(model.join(''));
      expect(lengthAfter(countCodePoints(text), edit, model.join(''))).toBe(model.length);
      expect(textHash(applyEdit(text, edit))).toBe(textHash(model.join('')));
    }),
  );
});

describe('a comparison', () => {
  /** The number of common lines in order: the longest common subsequence. */
  function commonLines(a: string[], b: string[]): number {
    const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
    const cell = (i: number, j: number) => table[i]?.[j] ?? 0;
    for (let i = 1; i <= a.length; i++) {
      for (let j = 1; j <= b.length; j++) {
        const row = table[i] as number[];
        row[j] = a[i - 1] === b[j - 1] ? cell(i - 1, j - 1) + 1 : Math.max(cell(i - 1, j), cell(i, j - 1));
      }
    }
    return cell(a.length, b.length);
  }

  /** Applies a comparison to the old text. */
  function patched(from: string, { changes }: ReturnType<typeof compareTexts>): string {
    const lines = from.split('\n');
    for (const change of changes.toReversed()) {
      const added = change.parts.filter(({ kind }) => kind !== 'removed').map(({ text }) => text);
      const to = change.to_count === 0 ? [] : added.join('').split('\n');
      lines.splice(change.from_line - 1, change.from_count, ...to);
    }
    return lines.join('\n');
  }

  /** Applies a unified diff to the old text. */
  function patchedUnified(from: string, unified: string): string {
    const lines = from.split('\n');
    const hunks = unified.split(/^(?=@@ )/m).filter(Boolean);
    for (const hunk of hunks.toReversed()) {
      const [header = '', ...body] = hunk.replace(/\n$/, '').split('\n');
      const [, start, count] = /^@@ -(\d+),(\d+)/.exec(header) ?? [];
      const to = body.filter((line) => !line.startsWith('-')).map((line) => line.slice(1));
      lines.splice(count === '0' ? Number(start) : Number(start) - 1, Number(count), ...to);
    }
    return lines.join('\n');
  }

  const line = fc.constantFrom('', 'a', 'b', 'a b', 'a c', 'the quick fox', 'the slow fox', '-', '😀 x');
  const text = fc.array(line, { maxLength: 30 }).map((lines) => lines.join('\n'));

  test('turns one text into the other, with the fewest lines removed and added', () => {
    fc.assert(
      fc.property(text, text, (from, to) => {
        const compared = compareTexts(from, to);
        const [before, after] = [from.split('\n'), to.split('\n')];
        const common = commonLines(before, after);
        expect(compared).toMatchObject({
          is_equal: from === to,
          lines_removed: before.length - common,
          lines_added: after.length - common,
        });
        expect(patched(from, compared)).toBe(to);
        expect(patchedUnified(from, compared.unified)).toBe(to);
        for (const { from_line, from_count, parts } of compared.changes) {
          const removed = parts.filter(({ kind }) => kind !== 'added').map((part) => part.text);
          expect(removed.join('')).toBe(before.slice(from_line - 1, from_line - 1 + from_count).join('\n'));
        }
      }),
      { numRuns: 500 },
    );
  });

  test('shows which words of a line changed', () => {
    const compared = compareTexts('One\nThe quick brown fox.\nThree', 'One\nThe quick red fox!\nThree');
    expect(compared.changes).toEqual([
      {
        from_line: 2,
        from_count: 1,
        to_line: 2,
        to_count: 1,
        parts: [
          { kind: 'same', text: 'The quick ' },
          { kind: 'removed', text: 'brown' },
          { kind: 'added', text: 'red' },
          { kind: 'same', text: ' fox' },
          { kind: 'removed', text: '.' },
          { kind: 'added', text: '!' },
        ],
      },
    ]);
    expect(compared.unified).toBe(
      '@@ -1,3 +1,3 @@\n One\n-The quick brown fox.\n+The quick red fox!\n Three\n',
    );
  });

  test('of two large texts with nothing in common ends', () => {
    const lines = (word: string) => Array.from({ length: 20_000 }, (_, n) => `${word} ${n}`).join('\n');
    const compared = compareTexts(lines('left'), lines('right'));
    expect(compared).toMatchObject({ is_equal: false, lines_removed: 20_000, lines_added: 20_000 });
    expect(patched(lines('left'), compared)).toBe(lines('right'));
  });
});
