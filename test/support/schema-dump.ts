import type { Queryable } from '../../src/platform/database/database.ts';

/** Prints the public schema as text that does not depend on the version of PostgreSQL. */
export async function dumpSchema(sql: Queryable): Promise<string> {
  const tables = await sql<{ name: string; oid: number }[]>`
    select relname as name, oid::int from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
    order by relname`;
  const parts: string[] = [];
  for (const { name, oid } of tables) {
    const columns = await sql<{ line: string }[]>`
      select format('  %I %s', attname, format_type(atttypid, atttypmod))
        || case attgenerated when 's' then format(' generated always as (%s) stored', pg_get_expr(adbin, adrelid)) else
             coalesce(' default ' || pg_get_expr(adbin, adrelid), '') end
        || case when attidentity <> '' then ' generated always as identity' else '' end
        || case when attnotnull then ' not null' else '' end as line
      from pg_attribute
      left join pg_attrdef on adrelid = attrelid and adnum = attnum
      where attrelid = ${oid} and attnum > 0 and not attisdropped
      order by attnum`;
    // PostgreSQL 18 lists "not null" among the constraints; the columns say it already.
    const constraints = await sql<{ line: string }[]>`
      select format('  constraint %I %s', conname, pg_get_constraintdef(oid)) as line
      from pg_constraint
      where conrelid = ${oid} and contype in ('p', 'u', 'f', 'c', 'x')
      order by array_position(array['p', 'u', 'f', 'c', 'x']::"char"[], contype), conname`;
    const indexes = await sql<{ line: string }[]>`
      select pg_get_indexdef(indexrelid) || ';' as line
      from pg_index
      where indrelid = ${oid} and not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u', 'x'))
      order by indexrelid::regclass::text`;
    const triggers = await sql<{ line: string }[]>`
      select pg_get_triggerdef(oid) || ';' as line from pg_trigger where tgrelid = ${oid} and not tgisinternal order by tgname`;
    const lines = (rows: { line: string }[]) => rows.map(({ line }) => line);
    parts.push(
      `create table ${name} (\n${[...lines(columns), ...lines(constraints)].join(',\n')}\n);`,
      ...lines(indexes),
      ...lines(triggers),
      '',
    );
  }
  const functions = await sql<{ text: string }[]>`
    select pg_get_functiondef(oid) || ';' as text from pg_proc where pronamespace = 'public'::regnamespace order by proname`;
  parts.push(...functions.flatMap(({ text }) => [text, '']));
  return `-- Written by \`npm run schema\` from the migrations. Do not edit.\n\n${parts.join('\n')}`;
}
