import search from 'approx-string-match';
import { QUOTE_CONTEXT } from '../../contract/highlights.ts';
import { cutsCharacter, type Quote, type Range } from './quote.ts';
import { FRAGMENT_BREAK, joinFragments, locationIn, type RunningText, textOfRange } from './running-text.ts';

/** A passage as it was last known. */
export interface Lost extends Quote, Range {
  fragment_idx: number;
}

export interface FragmentText {
  idx: number;
  canonical_text: string;
}

/** The fragment in which a passage begins, and the range counted from the beginning of that. */
export interface PassageLocation extends Range {
  fragment_idx: number;
}

interface Candidate extends PassageLocation {
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
/** The most characters that are compared for one passage in one text, where its beginning repeats endlessly. */
const MOST_COMPARED = 50_000_000;
/** An edited passage is looked for only if it is neither too short to be told from chance nor too long to be cheap. */
const EDITED = { shortest: 20, longest: 512, errorShare: 0.2 };
/** The most similar passages. A text with more repeats itself, and the search takes long for each of them. */
const MOST_SIMILAR = 500;
/** Similar words are looked for in parts of a text of this length, until there are too many. */
const PART = 4096;

/** Finds a passage whose words have not changed, as a quote finder does. It is fast in any text. */
export function findSameQuote(lost: Lost, fragments: readonly FragmentText[]): PassageLocation | undefined {
  return createQuoteFinder(fragments, { finds: 'same' })(lost);
}

/**
 * Creates a function that finds passages in fragments that may have changed. It returns undefined unless the place is
 * certain: a highlight is better shown as lost than in the wrong place.
 *
 * A passage that is where it was stays there. Otherwise the same words are looked for in all fragments, and the context
 * decides between several occurrences. If the words are nowhere, they may have been edited: then similar words are looked
 * for, and the context must confirm them. Words that are in no fragment may go on from one to the next.
 *
 * A passage of another program may have no context at all. It is found if its words occur once; white space may differ.
 */
export function createQuoteFinder(
  fragments: readonly FragmentText[],
  { finds = 'similar' }: { finds?: 'same' | 'similar' } = {},
) {
  let joined: RunningText | undefined;
  let flat: string | undefined;
  const whole = () => {
    joined ??= joinFragments(fragments);
    return joined;
  };
  /** Finds candidates that go on from one fragment to the next. Lines may be divided elsewhere than they were. */
  const across = (find: (lost: Lost, fragment: FragmentText) => Candidate[], lost: Lost): Candidate[] => {
    if (fragments.length < 2 && !lost.exact.includes(FRAGMENT_BREAK)) return [];
    flat ??= flattened(whole().text);
    const quote = {
      exact: flattened(lost.exact),
      prefix: flattened(lost.prefix),
      suffix: flattened(lost.suffix),
    };
    return find({ ...lost, ...quote }, { idx: 0, canonical_text: flat }).flatMap((candidate) => {
      const location = locationIn(whole(), candidate);
      return location ? [{ ...candidate, ...location }] : [];
    });
  };

  return (lost: Lost): PassageLocation | undefined => {
    if (lost.prefix === '' && lost.suffix === '') return findBare(lost.exact, fragments, whole());
    if (isWhereItWas(lost, fragments)) {
      const { fragment_idx, start, end } = lost;
      return { fragment_idx, start, end };
    }
    const within = fragments.flatMap((fragment) => sameWords(lost, fragment));
    const same = within.length > 0 ? within : across(sameWords, lost);
    const found = same.length > 0 ? certain(lost, same) : finds === 'similar' ? edited(lost) : undefined;
    return found && { fragment_idx: found.fragment_idx, start: found.start, end: found.end };
  };

  function edited(lost: Lost): Candidate | undefined {
    const within = fragments.flatMap((fragment) => similarWords(lost, fragment));
    return confirmed(lost, within) ?? confirmed(lost, across(similarWords, lost));
  }
}

/** A text with spaces for line breaks. Its offsets stay the same. */
const flattened = (text: string) => text.replaceAll(FRAGMENT_BREAK, ' ');

/** Finds words that occur once in the whole text, or that are a whole fragment. */
function findBare(
  exact: string,
  fragments: readonly FragmentText[],
  joined: RunningText,
): PassageLocation | undefined {
  const whole = fragments.filter(({ canonical_text }) => canonical_text === exact);
  if (whole[0] && whole.length === 1) return { fragment_idx: whole[0].idx, start: 0, end: exact.length };
  const words = exact.replace(SPACE, '');
  if (words.length < SHORTEST_BARE) return undefined;
  const { text } = joined;
  const bare = text.replace(SPACE, '');
  const at = bare.indexOf(words);
  if (at < 0 || bare.indexOf(words, at + 1) >= 0) return undefined;
  const start = offsetOf(text, at);
  const range = { start, end: start + lengthWithSpace(text, start, words.length) };
  return cutsCharacter(text, range) ? undefined : locationIn(joined, range);
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

function isWhereItWas(lost: Lost, fragments: readonly FragmentText[]): boolean {
  const { fragment_idx, start, end, prefix, exact, suffix } = lost;
  const first = fragments.findIndex(({ idx }) => idx === fragment_idx);
  const from = start - prefix.length;
  if (first < 0 || from < 0) return false;
  const text = textOfRange(fragments.slice(first), { start, end });
  return text?.startsWith(prefix + exact + suffix, from) === true && !cutsWord(lost, text, lost);
}

function sameWords(lost: Lost, { idx, canonical_text: text }: FragmentText): Candidate[] {
  const found: Candidate[] = [];
  const most = MOST_COMPARED / lost.exact.length;
  let start = text.indexOf(lost.exact);
  for (let tried = 0; start >= 0 && found.length < MOST_CANDIDATES; tried += 1) {
    if (tried > most) return [];
    const range = { start, end: start + lost.exact.length };
    if (!cutsCharacter(text, range) && !cutsWord(lost, text, range)) {
      found.push({ fragment_idx: idx, ...range, ...compareContext(lost, text, range), errors: 0 });
    }
    start = text.indexOf(lost.exact, start + 1);
  }
  return found;
}

/** Whether a passage that began or ended with a word would now be a part of a longer one, such as "ice" in "iced". */
function cutsWord({ prefix, exact, suffix }: Quote, text: string, { start, end }: Range): boolean {
  const grewBefore = STARTS_WITH_LETTER.test(exact) && ENDS_WITH_LETTER.test(text.slice(start - 2, start));
  const grewAfter = ENDS_WITH_LETTER.test(exact) && STARTS_WITH_LETTER.test(text.slice(end, end + 2));
  return (grewBefore && !ENDS_WITH_LETTER.test(prefix)) || (grewAfter && !STARTS_WITH_LETTER.test(suffix));
}

const STARTS_WITH_LETTER = /^[\p{L}\p{N}]/u;
const ENDS_WITH_LETTER = /[\p{L}\p{N}]$/u;

/** Finds the words that differ in the fewest characters. */
function similarWords(lost: Lost, { idx, canonical_text: text }: FragmentText): Candidate[] {
  const { exact } = lost;
  if (exact.length < EDITED.shortest || exact.length > EDITED.longest) return [];
  let errors = Math.floor(exact.length * EDITED.errorShare);
  let found: ReturnType<typeof search> = [];
  const overlap = exact.length + errors;
  for (let from = 0; from === 0 || from + overlap < text.length; from += PART) {
    const part = search(text.slice(from, from + PART + overlap), exact, errors);
    const fewest = Math.min(errors, ...part.map((match) => match.errors));
    if (fewest < errors) found = [];
    errors = fewest;
    for (const { start, end } of part) found.push({ start: from + start, end: from + end, errors });
    if (found.length > MOST_SIMILAR) return [];
  }
  return found
    .filter((match) => match.end > match.start && !cutsCharacter(text, match))
    .map((match) => ({ fragment_idx: idx, ...match, ...compareContext(lost, text, match) }));
}

/** Returns the best of similar passages if the context confirms it. */
function confirmed(lost: Lost, similar: Candidate[]): Candidate | undefined {
  // The search reports the same match with several beginnings.
  const best = similar.toSorted((a, b) => worth(b) - worth(a))[0];
  if (!best || best.context < LEAST_EVIDENCE) return undefined;
  const others = similar.filter((one) => !overlaps(one, best));
  return certain(lost, [best, ...others]);
}

const worth = ({ context, errors }: Candidate) => context - errors;

function overlaps(one: PassageLocation, other: PassageLocation): boolean {
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
