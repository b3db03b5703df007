import type { Transaction } from '../database/database.ts';
import { listTables, quoted } from './tables.ts';

interface Definition {
  drop: string;
  create: string;
}

/**
 * Prepares empty tables for loading: nothing but the rows of the backup may be written, so triggers are disabled, and
 * tables refer to each other in circles, so foreign keys are added afterwards. Indexes are built faster over rows that
 * exist. Returns the function that puts all of it back, which checks every foreign key.
 */
export async function prepareForLoading(tx: Transaction): Promise<() => Promise<void>> {
  const tables = (await listTables(tx)).map(({ name }) => name);
  const later = [...(await foreignKeys(tx)), ...(await plainIndexes(tx))];
  await tx.script(`truncate ${tables.map(quoted).join(', ')}`);
  for (const { drop } of later) await tx.script(drop);
  for (const name of tables) await tx.script(`alter table ${quoted(name)} disable trigger user`);

  return async () => {
    // Indexes first: checking a foreign key may use one.
    for (const { create } of later.toReversed()) await tx.script(create);
    for (const name of tables) await tx.script(`alter table ${quoted(name)} enable trigger user`);
    await tx.script(`analyze ${tables.map(quoted).join(', ')}`);
  };
}

function foreignKeys(tx: Transaction): PromiseLike<Definition[]> {
  return tx<Definition[]>`
    select
      format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as create
    from pg_constraint
    where connamespace = current_schema()::regnamespace and contype = 'f'
    order by conrelid::regclass::text, conname`;
}

/** Indexes that do not belong to a constraint. */
function plainIndexes(tx: Transaction): PromiseLike<Definition[]> {
  return tx<Definition[]>`
    select format('drop index %s', indexrelid::regclass) as drop, pg_get_indexdef(indexrelid) as create
    from pg_index
    join pg_class on pg_class.oid = indexrelid
    where relnamespace = current_schema()::regnamespace
      and not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u', 'x'))
    order by indexrelid::regclass::text`;
}
