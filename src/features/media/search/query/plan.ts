import type { Queryable } from '../../../../platform/database/database.ts';
import type { SqlFragment } from '../../../../platform/database/statement.ts';
import { type Asker, matchesQuery, mediaWithText, rowsOf, splitText } from './compile.ts';
import { countRows, estimateText } from './query-store.ts';
import { isText, type Query } from './tree.ts';
import { toAuthorQuery, toTextQuery } from './words.ts';

/** A condition is where a statement begins if it is true of no more media than this. */
const MOST_ROWS = 5000;
/** Words are where a statement begins if they occur in no more text pieces than this. */
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
  const few = await findFew(sql, asker, rest);
  if (few) return { isMatch, rows: few.rows, isCostly: false, isNarrowed };
  const indexed = [...(text ? [text] : []), ...rest.filter(({ type }) => type === 'author')];
  for (const part of indexed) {
    if (await isRare(sql, part, mostOccurrences))
      return { isMatch, rows: mediaWithText(sql, asker.viewer, part), isCostly: false, isNarrowed };
  }
  let isCostly = indexed.length > 0;
  for (const other of rest.flatMap(textsOf)) isCostly ||= !(await isRare(sql, other, mostOccurrences));
  return { isMatch, rows: undefined, isCostly, isNarrowed };
}

/**
 * Returns the rows of the condition that is true of the fewest media, if they are few. In an object: a promise of a statement
 * would run it.
 */
export async function findFew(
  sql: Queryable,
  { viewer }: Pick<Asker, 'viewer'>,
  parts: Query[],
): Promise<{ rows: SqlFragment } | undefined> {
  const all = parts.flatMap((part) => rowsOf(sql, viewer, part) ?? []);
  const counts = await countRows(sql, all, MOST_ROWS + 1);
  const fewest = Math.min(...counts);
  const rows = all[counts.indexOf(fewest)];
  return rows && fewest <= MOST_ROWS ? { rows } : undefined;
}

async function isRare(sql: Queryable, text: Query, mostOccurrences: number): Promise<boolean> {
  const words = text.type === 'author' ? toAuthorQuery(sql, text.value) : toTextQuery(sql, text);
  const { occurrences } = await estimateText(sql, words);
  return occurrences <= mostOccurrences;
}

/** Returns the parts of a query that are read in the text of media. */
function textsOf(query: Query): Query[] {
  if (isText(query) || query.type === 'author') return [query];
  if (query.type === 'not') return textsOf(query.of);
  if (query.type !== 'all' && query.type !== 'any') return [];
  const { text, rest } = query.type === 'all' ? splitText(query) : { text: undefined, rest: query.of };
  return [...(text ? [text] : []), ...rest.flatMap(textsOf)];
}
