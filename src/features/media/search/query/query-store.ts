import type { Queryable } from '../../../../platform/database/database.ts';
import type { SqlFragment } from '../../../../platform/database/statement.ts';

/**
 * Estimates in how many text pieces words occur, and the share of all pieces. The estimate comes from PostgreSQL's statistics
 * on frequent words; counting would take as long as the search.
 */
export async function estimateText(sql: Queryable, words: SqlFragment) {
  const [[{ pieces }], [plan]] = await Promise.all([
    sql<[{ pieces: number }]>`
      select reltuples::float8 as pieces from pg_class where oid = 'media_search'::regclass`,
    sql<[{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }]>`
      explain (format json) select from media_search where document @@ ${words}`,
  ]);
  const occurrences = plan['QUERY PLAN'][0].Plan['Plan Rows'];
  return { occurrences, share: occurrences / Math.max(pieces, 1) };
}

/** Counts the rows of statements, each up to `most`. */
export async function countRows(sql: Queryable, statements: SqlFragment[], most: number): Promise<number[]> {
  if (statements.length === 0) return [];
  const counts = statements.map(
    (rows, place) => sql`
      select ${place}::int as place, (select count(*) from (${rows} limit ${most}) as counted) as count`,
  );
  const found = await sql<{ count: number }[]>`
    ${counts.reduce((some, more) => sql`${some} union all ${more}`)} order by place`;
  return found.map(({ count }) => count);
}
