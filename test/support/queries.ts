import fc from 'fast-check';
import { MEDIA_KINDS } from '../../src/contract/media.ts';
import { dayOf } from '../../src/features/media/search/query/dates.ts';
import {
  type Condition,
  combine,
  type DateRange,
  type Query,
  STATES,
  THINGS,
} from '../../src/features/media/search/query/tree.ts';

/** The words, names and days that random queries are made of. Few of them, so that queries match something. */
interface Vocabulary {
  words: string[];
  tags: string[];
  libraries: string[];
  sites: string[];
  authors: string[];
  days: string[];
}

const constant = <const T extends string>(value: T) => fc.constant(value);

function condition(given: Vocabulary): fc.Arbitrary<Condition> {
  const named = <const T extends 'tag' | 'in' | 'site' | 'author'>(type: T, values: string[]) =>
    fc.record({ type: constant(type), value: fc.constantFrom(...values) });
  const day = fc.constantFrom(...given.days);
  const range: fc.Arbitrary<DateRange> = fc.oneof(
    fc.tuple(day, day).map(([a, b]) => (a < b ? { from: a, until: b } : { from: b, until: nextDay(a) })),
    day.map((from) => ({ from, until: null })),
    day.map((until) => ({ from: null, until })),
    fc.record({ days: fc.nat(400), isYounger: fc.boolean() }),
  );
  const minutes = fc.nat(20);
  const length = fc.oneof(
    fc.tuple(minutes, minutes).map(([a, b]) => ({ min: Math.min(a, b), max: Math.max(a, b) })),
    minutes.map((min) => ({ min, max: null })),
    minutes.map((max) => ({ min: null, max })),
  );
  return fc.oneof(
    named('tag', given.tags),
    named('in', given.libraries),
    named('site', given.sites),
    named('author', given.authors),
    fc.record({ type: constant('is'), value: fc.constantFrom(...STATES) }),
    fc.record({ type: constant('has'), value: fc.constantFrom(...THINGS) }),
    fc.record({ type: constant('kind'), value: fc.constantFrom(...MEDIA_KINDS) }),
    fc.record({ type: fc.constantFrom('added' as const, 'published' as const), range }),
    length.map((limits) => ({ type: 'length' as const, ...limits })),
  );
}

/** Makes random queries, as the parser makes them. */
export function queries(given: Vocabulary): fc.Arbitrary<Query> {
  const words = fc.oneof(
    fc.constantFrom(...given.words).map((text) => ({ text, isPhrase: false })),
    fc
      .array(fc.constantFrom(...given.words), { minLength: 1, maxLength: 3 })
      .map((some) => ({ text: some.join(' '), isPhrase: true })),
  );
  const { query } = fc.letrec<{ query: Query }>((tie) => ({
    query: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      words.map((some): Query => ({ type: 'words', ...some, isUnfinished: false })),
      condition(given),
      fc
        .tuple(
          fc.constantFrom('all' as const, 'any' as const),
          fc.array(tie('query'), { minLength: 1, maxLength: 3 }),
        )
        .map(([type, of]): Query => combine(type, of) ?? { type: 'none' }),
      tie('query').map((of): Query => ({ type: 'not', of })),
    ),
  }));
  return query;
}

/** Writes a query. It ends with a space, so that its last word is complete. */
export function print(query: Query): string {
  return `${printTerm(query, 0)} `;
}

/** `level`: 0 stands alone, 1 is part of `or`, 2 is part of a sequence or after a minus. */
function printTerm(query: Query, level: number): string {
  switch (query.type) {
    case 'none':
      return '""';
    case 'any':
      return inParentheses(query.of.map((part) => printTerm(part, 1)).join(' or '), level > 0);
    case 'all':
      return inParentheses(query.of.map((part) => printTerm(part, 2)).join(' '), level > 1);
    case 'not':
      return `-${query.of.type === 'not' ? `(${printTerm(query.of, 0)})` : printTerm(query.of, 2)}`;
    case 'words':
      return query.isPhrase ? quoted(query.text) : query.text;
    case 'added':
    case 'published':
      return `${query.type}:${printDates(query.range)}`;
    case 'length':
      return `length:${query.min ?? ''}..${query.max ?? ''}`;
    default:
      return `${query.type}:${quoted(query.value)}`;
  }
}

const inParentheses = (text: string, isNeeded: boolean) => (isNeeded ? `(${text})` : text);
const quoted = (text: string) => `"${text.replace(/["“”„\\]/g, '\\$&')}"`;

function printDates(range: DateRange): string {
  if ('days' in range) return `${range.isYounger ? '<' : '>'}${range.days}d`;
  const { from, until } = range;
  if (until === null) return `>=${from}`;
  return from === null ? `<${until}` : `${from}..${nextDay(until, -1)}`;
}

export function nextDay(day: string, days = 1): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return dayOf(date);
}
