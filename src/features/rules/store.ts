import type { Rule } from '../../contract/rules.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';

const columns = (sql: Queryable) => sql`id, name, query, actions, is_enabled, created_at, updated_at`;

export async function findRule(sql: Queryable, userId: string, id: string) {
  const [row] = await sql<Rule[]>`
    select ${columns(sql)} from rules where id = ${id} and user_id = ${userId}`;
  return row;
}

export async function lockRule(tx: Transaction, userId: string, id: string) {
  const [row] = await tx<Rule[]>`
    select ${columns(tx)} from rules where id = ${id} and user_id = ${userId} for no key update`;
  return row;
}

/** Keeps a rule from being deleted until the transaction ends. Returns false when it is gone. */
export async function holdRule(tx: Transaction, id: string): Promise<boolean> {
  const held = await tx`select from rules where id = ${id} for key share`;
  return held.length === 1;
}

/** Lists rules in the order in which they were created. */
export async function listRules(
  sql: Queryable,
  userId: string,
  { last, limit }: { last: string | null; limit: number },
) {
  return sql<Rule[]>`
    select ${columns(sql)}
    from rules
    where user_id = ${userId}
      ${last === null ? sql`` : sql`and id > ${last}`}
    order by id
    limit ${limit}`;
}

export async function listEnabledRules(sql: Queryable, userId: string): Promise<Rule[]> {
  return sql<Rule[]>`
    select ${columns(sql)} from rules where user_id = ${userId} and is_enabled order by id`;
}

/** Blocks others who create rules of this person until the transaction ends, and counts those that they have. */
export async function countRules(tx: Transaction, userId: string): Promise<number> {
  await tx`select from users where id = ${userId} for no key update`;
  const [row] = await tx<[{ count: number }]>`select count(*) from rules where user_id = ${userId}`;
  return row.count;
}

type RuleFields = Pick<Rule, 'id' | 'name' | 'query' | 'actions' | 'is_enabled'>;

export async function insertRule(tx: Transaction, userId: string, rule: RuleFields): Promise<void> {
  const { id, name, query, actions, is_enabled } = rule;
  await tx`
    insert into rules (id, user_id, name, query, actions, is_enabled)
    values (${id}, ${userId}, ${name}, ${query}, ${JSON.stringify(actions)}::jsonb, ${is_enabled})`;
}

export async function updateRule(tx: Transaction, rule: RuleFields): Promise<void> {
  const { id, name, query, actions, is_enabled } = rule;
  await tx`
    update rules
    set name = ${name}, query = ${query}, actions = ${JSON.stringify(actions)}::jsonb, is_enabled = ${is_enabled},
        updated_at = now()
    where id = ${id}`;
}

export async function deleteRule(tx: Transaction, userId: string, id: string): Promise<boolean> {
  const deleted = await tx`delete from rules where id = ${id} and user_id = ${userId}`;
  return deleted.count === 1;
}
