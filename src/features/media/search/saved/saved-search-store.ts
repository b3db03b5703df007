import type { SavedSearch } from '../../../../contract/search.ts';
import type { Queryable, Transaction } from '../../../../platform/database/database.ts';

export type SavedSearchRow = Omit<SavedSearch, 'count' | 'is_more'>;

const columns = (sql: Queryable) => sql`id, name, query, created_at, updated_at`;

export async function findSearch(sql: Queryable, userId: string, id: string) {
  const [row] = await sql<SavedSearchRow[]>`
    select ${columns(sql)} from saved_searches where id = ${id} and user_id = ${userId}`;
  return row;
}

export async function lockSearch(tx: Transaction, userId: string, id: string) {
  const [row] = await tx<SavedSearchRow[]>`
    select ${columns(tx)} from saved_searches where id = ${id} and user_id = ${userId} for no key update`;
  return row;
}

/** Lists searches in the order in which they were saved. */
export async function listSearches(
  sql: Queryable,
  userId: string,
  { last, limit }: { last: string | null; limit: number },
) {
  return sql<SavedSearchRow[]>`
    select ${columns(sql)}
    from saved_searches
    where user_id = ${userId}
      ${last === null ? sql`` : sql`and id > ${last}`}
    order by id
    limit ${limit}`;
}

/** Blocks others who save searches of this person until the transaction ends, and counts those that they have. */
export async function countSearches(tx: Transaction, userId: string): Promise<number> {
  await tx`select from users where id = ${userId} for no key update`;
  const [row] = await tx<[{ count: number }]>`select count(*) from saved_searches where user_id = ${userId}`;
  return row.count;
}

export async function insertSearch(
  tx: Transaction,
  userId: string,
  { id, name, query }: Pick<SavedSearch, 'id' | 'name' | 'query'>,
): Promise<void> {
  await tx`insert into saved_searches (id, user_id, name, query) values (${id}, ${userId}, ${name}, ${query})`;
}

export async function updateSearch(
  tx: Transaction,
  { id, name, query }: Pick<SavedSearch, 'id' | 'name' | 'query'>,
): Promise<void> {
  await tx`update saved_searches set name = ${name}, query = ${query}, updated_at = now() where id = ${id}`;
}

export async function deleteSearch(tx: Transaction, userId: string, id: string): Promise<boolean> {
  const deleted = await tx`delete from saved_searches where id = ${id} and user_id = ${userId}`;
  return deleted.count === 1;
}
