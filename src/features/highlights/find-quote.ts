import search from 'approx-string-match';
import { QUOTE_CONTEXT } from '../../contract/highlights.ts';
import { cutsCharacter, type Quote, type Range } from './quote.ts';

/** A passage as it was last known. */
export interface Lost extends Quote, Range {
  fragment_idx: number;
}

export interface FragmentText {
  idx: number;
  canonical_text: string;
}

/** Where a passage is. */
export interface Place extends Range {
  fragment_idx: number;
}

interface Candidate extends Place {
  /** The characters of the old context that are around it, without a gap. */
  context: number;
  /** Whether everything around it is as it was, including the beginning or end of the text if they are near. */
  hasAllContext: boolean;
  /** The characters in which it differs from the passage. */
  errors: number;
}

/** With fewer equal characters, of the passage and around it, a match may be chance. */
const LEAST_EVIDENCE = 24;
/** A match must be better than the second best by this much. */
const LEAST_LEAD = 8;
/** A passage of which nothing but its words is known must have this many characters, and occur once. */
const SHORTEST_BARE = 12;
/** The most occurrences that are compared. A passage that occurs more often has no certain place. */
const MOST_CANDIDATES = 2000;
/** An edited passage is looked for only if it is neither too short to be told from chance nor too long to be cheap. */
const EDITED = { shortest: 20, longest: 512, errorShare: 0.2 };

/**
 * Finds a passage in a text that may have changed. Returns undefined unless the place is certain: a highlight is better
 * shown as lost than in the wrong place.
 *
 * A passage that is where it was stays there. Otherwise the same words are looked for in all fragments, and the context
 * decides between several occurrences. If the words are nowhere, they may have been edited: then similar words are looked
 * for, and the context must confirm them.
 *
 * A passage of another program may have no context at all. It is found if its words occur once; white space may differ.
 */
export function findQuote(lost: Lost, fragments: readonly FragmentText[]): Place | undefined {
  if (lost.prefix === '' && lost.suffix === '') return findBare(lost.exact, fragments);
  if (isWhereItWas(lost, fragments)) {
    const { fragment_idx, start, end } = lost;
    return { fragment_idx, start, end };
  }
  const same = fragments.flatMap((fragment) => sameWords(lost, fragment));
  const found = same.length > 0 ? certain(lost, same) : findEdited(lost, fragments);
  return found && { fragment_idx: found.fragment_idx, start: found.start, end: found.end };
}

/** Finds words that occur once in all fragments, or that are a whole fragment. */
function findBare(exact: string, fragments: readonly FragmentText[]): Place | undefined {
  const whole = fragments.filter(({ canonical_text }) => canonical_text === exact);
  if (whole[0] && whole.length === 1) return { fragment_idx: whole[0].idx, start: 0, end: exact.length };
  const words = exact.replace(SPACE, '');
  if (words.length < SHORTEST_BARE) return undefined;
  const found: Place[] = [];
  for (const { idx, canonical_text: text } of fragments) {
    const bare = text.replace(SPACE, '');
    const at = bare.indexOf(words);
    if (at < 0) continue;
    if (bare.indexOf(words, at + 1) >= 0) return undefined;
    const start = offsetOf(text, at);
    found.push({ fragment_idx: idx, start, end: start + lengthWithSpace(text, start, words.length) });
  }
  const [place, another] = found;
  const fragment = fragments.find(({ idx }) => idx === place?.fragment_idx);
  return place && fragment && !another && !cutsCharacter(fragment.canonical_text, place) ? place : undefined;
}

const SPACE = /\s+/g;

/** The offset of the character that has this many characters before it, without white space. */
function offsetOf(text: string, count: number): number {
  let offset = lengthWithSpace(text, 0, count);
  while (/\s/.test(text.charAt(offset))) offset += 1;
  return offset;
}

/** The length of a part of a text that contains this many characters besides white space. */
function lengthWithSpace(text: string, start: number, count: number): number {
  let offset = start;
  for (let left = count; left > 0; offset += 1) if (!/\s/.test(text.charAt(offset))) left -= 1;
  return offset - start;
}

function isWhereItWas({ fragment_idx, start, ...quote }: Lost, fragments: readonly FragmentText[]): boolean {
  const text = fragments.find(({ idx }) => idx === fragment_idx)?.canonical_text;
  const from = start - quote.prefix.length;
  return text?.startsWith(quote.prefix + quote.exact + quote.suffix, from) === true && from >= 0;
}

function sameWords(lost: Lost, { idx, canonical_text: text }: FragmentText): Candidate[] {
  const found: Candidate[] = [];
  let start = text.indexOf(lost.exact);
  while (start >= 0 && found.length < MOST_CANDIDATES) {
    const range = { start, end: start + lost.exact.length };
    if (!cutsCharacter(text, range)) {
      found.push({ fragment_idx: idx, ...range, ...compareContext(lost, text, range), errors: 0 });
    }
    start = text.indexOf(lost.exact, start + 1);
  }
  return found;
}

/** Looks for similar words, first in the fragment in which the passage was. */
function findEdited(lost: Lost, fragments: readonly FragmentText[]): Candidate | undefined {
  const { exact } = lost;
  if (exact.length < EDITED.shortest || exact.length > EDITED.longest) return undefined;
  const maxErrors = Math.floor(exact.length * EDITED.errorShare);
  const similar = fragments.flatMap(({ idx, canonical_text: text }) =>
    search(text, exact, maxErrors)
      .filter((match) => match.end > match.start && !cutsCharacter(text, match))
      .map((match) => ({ fragment_idx: idx, ...match, ...compareContext(lost, text, match) })),
  );
  // The search reports the same match with several beginnings.
  const best = similar.sort((a, b) => worth(b) - worth(a))[0];
  if (!best || best.context < LEAST_EVIDENCE) return undefined;
  const others = similar.filter((one) => !overlaps(one, best));
  return certain(lost, [best, ...others]);
}

const worth = ({ context, errors }: Candidate) => context - errors;

function overlaps(one: Place, other: Place): boolean {
  return one.fragment_idx === other.fragment_idx && one.start < other.end && other.start < one.end;
}

/** Returns the best candidate if nothing speaks for another one. */
function certain(lost: Lost, candidates: Candidate[]): Candidate | undefined {
  const [best, second] = candidates.toSorted((a, b) => worth(b) - worth(a));
  if (!best || candidates.length >= MOST_CANDIDATES) return undefined;
  if (second && worth(best) - worth(second) < LEAST_LEAD) return undefined;
  const evidence = lost.exact.length - best.errors + best.context;
  return best.hasAllContext || evidence >= LEAST_EVIDENCE ? best : undefined;
}

/** Counts outwards how many characters before and after a range are as they were. */
function compareContext({ prefix, suffix }: Quote, text: string, { start, end }: Range) {
  let before = 0;
  while (before < prefix.length && prefix.at(-1 - before) === text[start - 1 - before]) before += 1;
  let after = 0;
  while (after < suffix.length && suffix[after] === text[end + after]) after += 1;
  const isNearStart = prefix.length < QUOTE_CONTEXT - 1;
  const isNearEnd = suffix.length < QUOTE_CONTEXT - 1;
  const hasAllContext =
    before === prefix.length &&
    after === suffix.length &&
    (!isNearStart || start === before) &&
    (!isNearEnd || text.length - end === after);
  return { context: before + after, hasAllContext };
}
