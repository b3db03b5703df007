import type { Queryable } from '../database/database.ts';
import type { Header, Manifest } from './format.ts';

export type Table = Header['tables'][number];

/** Quotes a name for statements that take no parameters. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Lists the tables of the schema, with the columns that are not computed from others. */
export async function listTables(sql: Queryable): Promise<Table[]> {
  return sql<Table[]>`
    select
      relname::text as name,
      array(
        select attname::text
        from pg_attribute
        where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = ''
        order by attnum
      ) as columns
    from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'r'
    order by relname`;
}

/**
 * Returns the COPY that reads a table in the order of its primary key. Rows with equal values are then the same bytes on
 * every server, so that a checksum shows whether two tables are equal.
 */
export async function copyStatement(sql: Queryable, { name, columns }: Table): Promise<string> {
  const key = await sql<{ name: string; is_text: boolean }[]>`
    select attname::text as name, attcollation <> 0 as is_text
    from pg_index
    cross join unnest(indkey) with ordinality as part (number, place)
    join pg_attribute on attrelid = indrelid and attnum = part.number
    where indrelid = ${quoted(name)}::regclass and indisprimary
    order by part.place`;
  const order = key.map((part) => `${quoted(part.name)}${part.is_text ? ' collate "C"' : ''}`);
  const ordered = order.length > 0 ? ` order by ${order.join(', ')}` : '';
  return `copy (select ${columns.map(quoted).join(', ')} from ${quoted(name)}${ordered}) to stdout`;
}

/** Lists the sequences that belong to a table. Nexus has no others. */
export async function listSequences(sql: Queryable): Promise<Manifest['sequences']> {
  return sql<Manifest['sequences']>`
    select
      sequencename::text as name,
      coalesce(last_value, start_value)::text as last_value,
      last_value is not null as is_called
    from pg_sequences
    join pg_class on relname = sequencename and relnamespace = current_schema()::regnamespace
    where schemaname = current_schema()
      and exists (
        select from pg_depend
        where classid = 'pg_class'::regclass and objid = pg_class.oid
          and refclassid = 'pg_class'::regclass and deptype in ('a', 'i')
      )
    order by sequencename`;
}

/** Sets the sequences that the schema has. Those of tables that are not of Nexus are left out. */
export async function setSequences(sql: Queryable, sequences: Manifest['sequences']): Promise<void> {
  const known = new Set((await listSequences(sql)).map(({ name }) => name));
  for (const { name, last_value, is_called } of sequences) {
    if (!known.has(name)) continue;
    await sql`select setval(${quoted(name)}::regclass, ${last_value}::bigint, ${is_called})`;
  }
}
