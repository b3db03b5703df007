import { normalForm } from '../../../contract/normal-form.ts';
import type { SnippetPart } from '../../../contract/search.ts';

const BEFORE = 80;
const LENGTH = 240;
const MARKS = /[\u0300-\u036f]/g;
const ACCENTS = '[\\u0300-\\u036f]*';

/**
 * Returns the text around the first match, split at its matches, and the line of that match. Without a match, returns the
 * beginning of the text and no line.
 */
export function makeSnippet(text: string, words: string[]) {
  const pattern = patternOf(words);
  // Decomposes letters and accents, so that either form finds the other.
  const spelled = normalForm(text, 'NFD');
  const first = pattern ? spelled.search(pattern) : -1;
  if (!pattern || first === -1)
    return { parts: [{ text: clean(spelled.slice(0, LENGTH)), is_match: false }], line: null };
  const start = wordStart(spelled, Math.max(0, first - BEFORE));
  const excerpt = spelled.slice(start, wordEnd(spelled, start + LENGTH));
  return { parts: takeApart(excerpt, pattern), line: lineAround(spelled, first) };
}

/** Matches words at their beginning, and characters of scripts without spaces anywhere. */
function patternOf(words: string[]): RegExp | null {
  if (words.length === 0) return null;
  const longestFirst = words.toSorted((a, b) => b.length - a.length).map(spellings);
  return new RegExp(longestFirst.join('|'), 'giu');
}

function spellings(word: string): string {
  const letters = [...normalForm(word, 'NFD').replace(MARKS, '')].map((letter) => letter + ACCENTS);
  const isSpaced = !/[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]/.test(word);
  return (isSpaced ? '(?<![\\p{L}\\p{N}\\p{M}])' : '') + letters.join('');
}

function takeApart(excerpt: string, pattern: RegExp): SnippetPart[] {
  const parts: SnippetPart[] = [];
  let end = 0;
  for (const match of excerpt.matchAll(pattern)) {
    if (match.index > end) parts.push({ text: clean(excerpt.slice(end, match.index)), is_match: false });
    parts.push({ text: clean(match[0]), is_match: true });
    end = match.index + match[0].length;
  }
  if (end < excerpt.length) parts.push({ text: clean(excerpt.slice(end)), is_match: false });
  return parts.filter(({ text }) => text !== '');
}

function clean(text: string): string {
  return normalForm(text.replace(/\s+/g, ' '));
}

function wordStart(text: string, from: number): number {
  if (from === 0) return 0;
  const space = text.indexOf(' ', from);
  return space === -1 || space > from + BEFORE / 2 ? from : space + 1;
}

function wordEnd(text: string, from: number): number {
  if (from >= text.length) return text.length;
  const space = text.lastIndexOf(' ', from);
  return space < from - BEFORE / 2 ? from : space;
}

function lineAround(text: string, index: number): string {
  const start = text.lastIndexOf('\n', index) + 1;
  const end = text.indexOf('\n', index);
  return normalForm(text.slice(start, end === -1 ? text.length : end));
}
