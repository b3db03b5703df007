import { normalForm } from '../../../contract/normal-form.ts';
import type { SnippetPart } from '../../../contract/search.ts';
import { wordPattern } from './pattern.ts';

const BEFORE = 80;
const LENGTH = 240;
/** Two passages of one text are at least this far apart. */
const APART = 2000;
/** Frequent words have thousands of matches; the first of them say enough. */
const MOST_MATCHES = 500;
/** A line of up to this length that has all words is a heading, or reads like one. */
const HEADING = 120;

/** A passage of a text around matches. */
export interface Passage {
  snippet: SnippetPart[];
  /** Where it matches: characters from the beginning of the text, as PostgreSQL counts them. */
  offset: number;
  /** The number of different words in it. */
  words: number;
}

/** Finds the best passages of a text: those with most of the words close together, headings first. */
export function findPassages(text: string, words: string[], most: number): Passage[] {
  const pattern = wordPattern(words);
  // Decomposes letters and accents, so that either form finds the other.
  const spelled = normalForm(text, 'NFD');
  const matches = pattern ? matchesIn(spelled, pattern) : [];
  const chosen: Candidate[] = [];
  for (const candidate of candidatesOf(spelled, matches)) {
    if (chosen.length === most) break;
    if (chosen.every(({ at }) => Math.abs(at - candidate.at) >= APART)) chosen.push(candidate);
  }
  return chosen.map(({ at, words: count }) => ({
    snippet: snippetAround(spelled, at, pattern),
    offset: characters(spelled.slice(0, at)),
    words: count,
  }));
}

/** The beginning of a text, for a media of which only the title matches. */
export function beginningOf(text: string): SnippetPart[] {
  const excerpt = clean(text.slice(0, LENGTH));
  return excerpt === '' ? [] : [{ text: excerpt, is_match: false }];
}

interface Match {
  at: number;
  word: string;
}

function matchesIn(spelled: string, pattern: RegExp): Match[] {
  const found: Match[] = [];
  for (const { index, 0: word } of spelled.matchAll(pattern)) {
    found.push({ at: index, word: word.toLowerCase() });
    if (found.length === MOST_MATCHES) break;
  }
  return found;
}

interface Candidate {
  at: number;
  words: number;
  isHeading: boolean;
}

/** Every match with the different words after it within a snippet, best first. */
function candidatesOf(spelled: string, matches: Match[]): Candidate[] {
  const candidates = matches.map(({ at }, index) => {
    const close = matches.slice(index, index + 20).filter((match) => match.at < at + LENGTH - BEFORE);
    const words = new Set(close.map(({ word }) => word)).size;
    const end = spelled.indexOf('\n', at);
    const last = close.at(-1)?.at ?? at;
    const length = (end === -1 ? spelled.length : end) - spelled.lastIndexOf('\n', at);
    const isHeading = words > 1 && length < HEADING && (end === -1 || last < end);
    return { at, words, isHeading };
  });
  return candidates.sort(
    (a, b) => b.words - a.words || Number(b.isHeading) - Number(a.isHeading) || a.at - b.at,
  );
}

function snippetAround(spelled: string, at: number, pattern: RegExp | null): SnippetPart[] {
  const start = wordStart(spelled, Math.max(0, at - BEFORE));
  const excerpt = spelled.slice(start, wordEnd(spelled, start + LENGTH));
  const parts: SnippetPart[] = [];
  let end = 0;
  for (const match of pattern ? excerpt.matchAll(pattern) : []) {
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

/** The number of characters of a decomposed text as it is stored: composed, in code points. */
function characters(spelled: string): number {
  let count = 0;
  for (const _ of normalForm(spelled)) count += 1;
  return count;
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
