import { expect, test } from 'vitest';
import { isRightToLeft } from './direction.ts';

test.each([
  ['ar', 'Harbour', true],
  ['he-IL', '', true],
  ['ur-Latn', '', false],
  ['en', 'ساعة الميناء', false],
  ['arn', '', false],
  [null, '«ساعة» 1', true],
  [null, '2001: ספרייה', true],
  [null, 'The word ساعة', false],
  [null, '', false],
])('the language %s and the title "%s": %s', (language, title, expected) => {
  expect(isRightToLeft({ language, title, book: null })).toBe(expected);
});
