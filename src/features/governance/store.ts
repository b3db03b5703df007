import type { Policy } from '../../contract/governance.ts';
import type { Mode } from '../../contract/roles.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import type { Rule } from './rules.ts';

const columns = (sql: Queryable) => sql`
  id, name, mode, action, terms, patterns, is_enabled, source, created_by, created_at, updated_at`;

/** Lists policies in a fixed order, so that results are the same each time. */
export async function listRules(sql: Queryable, mode: Mode): Promise<Rule[]> {
  return sql<Rule[]>`
    select id, name, action, terms, patterns
    from governance_policies
    where mode = ${mode} and is_enabled
    order by id`;
}

export async function listPolicies(sql: Queryable, last: string | null, limit: number): Promise<Policy[]> {
  return sql<Policy[]>`
    select ${columns(sql)}
    from governance_policies
    where ${last}::uuid is null or id < ${last}
    order by id desc
    limit ${limit}`;
}

export async function findPolicy(sql: Queryable, id: string): Promise<Policy | undefined> {
  const [policy] = await sql<Policy[]>`select ${columns(sql)} from governance_policies where id = ${id}`;
  return policy;
}

export async function lockPolicy(tx: Transaction, id: string): Promise<Policy | undefined> {
  const [policy] = await tx<Policy[]>`
    select ${columns(tx)} from governance_policies where id = ${id} for update`;
  return policy;
}

type PolicyFields = Omit<Policy, 'source' | 'created_at' | 'updated_at'>;

const insertion = (sql: Queryable, fields: PolicyFields, source: Policy['source']) => sql`
  insert into governance_policies (id, name, mode, action, terms, patterns, is_enabled, source, created_by)
  values (
    ${fields.id}, ${fields.name}, ${fields.mode}, ${fields.action}, ${fields.terms}, ${fields.patterns},
    ${fields.is_enabled}, ${source}, ${fields.created_by}
  )`;

/** Inserts a policy; undefined when the name is taken. */
export async function insertPolicy(sql: Queryable, fields: PolicyFields): Promise<Policy | undefined> {
  const [policy] = await sql<Policy[]>`
    ${insertion(sql, fields, 'api')}
    on conflict (lower(name)) do nothing
    returning ${columns(sql)}`;
  return policy;
}

/** Updates a policy that the caller has locked. */
export async function updatePolicy(tx: Transaction, changed: Policy): Promise<Policy> {
  const { id, name, action, terms, patterns, is_enabled } = changed;
  const [policy] = await tx<[Policy]>`
    update governance_policies
    set name = ${name}, action = ${action}, terms = ${terms}, patterns = ${patterns}, is_enabled = ${is_enabled},
        updated_at = now()
    where id = ${id}
    returning ${columns(tx)}`;
  return policy;
}

export async function deletePolicy(tx: Transaction, id: string): Promise<void> {
  await tx`delete from governance_policies where id = ${id}`;
}

/** Writes the policy of the configuration: one row, whichever process starts first. */
export async function putConfiguredPolicy(sql: Queryable, fields: PolicyFields): Promise<void> {
  await sql`
    ${insertion(sql, fields, 'configuration')}
    on conflict (source) where source = 'configuration' do update
    set terms = excluded.terms, is_enabled = excluded.is_enabled, updated_at = now()
    where (governance_policies.terms, governance_policies.is_enabled)
      is distinct from (excluded.terms, excluded.is_enabled)`;
}
