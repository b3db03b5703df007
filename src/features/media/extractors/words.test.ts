import { expect, test } from 'vitest';
import { countWords, readingMinutes } from './words.ts';

test.each([
  ['', 0],
  ['one', 1],
  ['One, two; three!', 3],
  ["don't stop at 3.5 or 1,000 well-known words", 8],
  ['Über süße Brötchen', 3],
  ['Поезд опоздал на час', 4],
  ['وصل القارئ إلى الصفحة', 4],
  ['पुस्तकालय की खिड़की से बारिश', 5],
  ['யாழ்ப்பாணம் பொது நூலகம்', 3],
  ['می‌خواهم بروم', 2],
  ['शांति-पूर्ण', 1],
  ['清晨的图书馆很安静', 5],
  ['ห้องสมุดเปิด', 2],
  ['Nexus 读书 and 図書館', 5],
  ['— … !?', 0],
])('%j has %i words', (text, words) => {
  expect(countWords(text)).toBe(words);
});

test('a word of any length is one word', () => {
  expect(countWords('a.'.repeat(5_000_000))).toBe(1);
});

test('a started minute counts as a full one', () => {
  expect([0, 1, 220, 221].map(readingMinutes)).toEqual([0, 1, 1, 2]);
});
