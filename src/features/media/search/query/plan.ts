import type { Queryable } from '../../../../platform/database/database.ts';
import type { SqlFragment } from '../../../../platform/database/statement.ts';
import { type Asker, matchesQuery, mediaWithText, rowsOf, splitText } from './compile.ts';
import { countRows, estimateText } from './query-store.ts';
import { isText, type Query } from './tree.ts';
import { toAuthorQuery, toTextQuery } from './words.ts';

/** A condition is where a statement begins if it is true of no more media than this. */
const MOST_ROWS = 5000;
/** Words are where a statement begins if they occur in no more text pieces than this. The parts of an `or` together, too. */
const MOST_OCCURRENCES = 20_000;

/** How a query is carried out. */
export interface QueryPlan {
  /** Whether a media of the statement matches. */
  isMatch: SqlFragment;
  /** Selects few media, all matching ones among them, possibly several times. Undefined if no part is true of few media. */
  rows: SqlFragment | undefined;
  /** Whether a word is so frequent that reading the text of every media takes too long. */
  isCostly: boolean;
  /** Whether it has conditions besides the wanted words. */
  isNarrowed: boolean;
}

/** Rows with all media that match a part of a query, possibly several times, and about how many rows they are. */
interface Start {
  rows: SqlFragment;
  count: number;
}

/** Finds the part of a query that is true of the fewest media. */
export async function planQuery(
  sql: Queryable,
  asker: Asker,
  query: Query,
  mostOccurrences = MOST_OCCURRENCES,
): Promise<QueryPlan> {
  const isMatch = matchesQuery(sql, asker, query);
  const { text, rest } = splitText(query);
  const isNarrowed = rest.length > 0;
  const starts = await createStarts(sql, asker, query, mostOccurrences);
  const start = await starts.of(query);
  if (start) return { isMatch, rows: start.rows, isCostly: false, isNarrowed };
  let isCostly = false;
  for (const part of [...(text ? [text] : []), ...rest.flatMap(textsOf)])
    isCostly ||= !(await starts.ofText(part));
  return { isMatch, rows: undefined, isCostly, isNarrowed };
}

/**
 * Returns the rows of the part that is true of the fewest media, if they are few. In an object: a promise of a statement
 * would run it.
 */
export async function findFew(
  sql: Queryable,
  asker: Asker,
  parts: Query[],
): Promise<{ rows: SqlFragment } | undefined> {
  const conditions = parts.filter((part) => part.type !== 'author' && !isText(part));
  const starts = await createStarts(sql, asker, { type: 'all', of: conditions }, MOST_OCCURRENCES);
  return starts.fewest(conditions);
}

/** Finds where a statement can begin. Conditions are counted in one statement; words are estimated when they are needed. */
async function createStarts(sql: Queryable, asker: Asker, query: Query, mostOccurrences: number) {
  const conditions = conditionsOf(query).flatMap((condition) => {
    const rows = rowsOf(sql, asker, condition);
    return rows ? [{ condition, rows }] : [];
  });
  const counts = await countRows(
    sql,
    conditions.map(({ rows }) => rows),
    MOST_ROWS + 1,
  );
  const counted = new Map<Query, Start>();
  for (const [index, { condition, rows }] of conditions.entries())
    counted.set(condition, { rows, count: counts[index] ?? 0 });

  async function of(part: Query): Promise<Start | undefined> {
    if (isText(part) || part.type === 'author') return ofText(part);
    if (part.type === 'any') return ofAny(part.of);
    if (part.type === 'all') {
      const { text, rest } = splitText(part);
      return (await fewest(rest)) ?? (text && (await ofText(text)));
    }
    if (part.type === 'none') return { rows: sql`select null::uuid as media_id where false`, count: 0 };
    const known = counted.get(part);
    return known && known.count <= MOST_ROWS ? known : undefined;
  }

  /** Returns the smallest start of parts that must all be true. Words are estimated only if no condition is true of few media. */
  async function fewest(parts: Query[]): Promise<Start | undefined> {
    const [conditionsOnly, withText] = [parts.filter((part) => !hasText(part)), parts.filter(hasText)];
    for (const some of [conditionsOnly, withText]) {
      const found: Start[] = [];
      for (const part of some) {
        const start = await of(part);
        if (start) found.push(start);
      }
      if (found.length > 0) return found.reduce((one, other) => (other.count < one.count ? other : one));
    }
    return undefined;
  }

  /** Joins the starts of alternatives. One of them without a start may be true of any media. */
  async function ofAny(parts: Query[]): Promise<Start | undefined> {
    const found: Start[] = [];
    for (const part of parts) {
      const start = await of(part);
      if (!start) return undefined;
      found.push(start);
    }
    const count = found.reduce((sum, start) => sum + start.count, 0);
    if (count > mostOccurrences) return undefined;
    const selects = found.map(({ rows }) => sql`select media_id from (${rows}) as alternative`);
    return { rows: selects.reduce((some, more) => sql`${some} union all ${more}`), count };
  }

  const estimated = new Map<Query, number>();
  async function ofText(text: Query): Promise<Start | undefined> {
    const words = text.type === 'author' ? toAuthorQuery(sql, text.value) : toTextQuery(sql, text);
    const count = estimated.get(text) ?? (await estimateText(sql, words)).occurrences;
    estimated.set(text, count);
    return count <= mostOccurrences ? { rows: mediaWithText(sql, asker.viewer, text), count } : undefined;
  }

  return { of, ofText, fewest };
}

/** Returns the conditions of a query that are not excluded. */
function conditionsOf(query: Query): Query[] {
  if (query.type === 'all' || query.type === 'any') return query.of.flatMap(conditionsOf);
  return query.type === 'not' ? [] : [query];
}

const hasText = (query: Query): boolean => textsOf(query).length > 0;

/** Returns the parts of a query that are read in the text of media. */
function textsOf(query: Query): Query[] {
  if (isText(query) || query.type === 'author') return [query];
  if (query.type === 'not') return textsOf(query.of);
  if (query.type !== 'all' && query.type !== 'any') return [];
  const { text, rest } = query.type === 'all' ? splitText(query) : { text: undefined, rest: query.of };
  return [...(text ? [text] : []), ...rest.flatMap(textsOf)];
}
