import type { Queryable } from '../../../platform/database/database.ts';

/** The rows that refer to files. A column that an earlier schema lacks is left out. */
const SOURCES = [
  {
    table: 'media',
    columns: ['file_path'],
    select: 'select file_path as path from media where file_path is not null',
  },
  { table: 'media_assets', columns: ['path'], select: 'select path from media_assets' },
  {
    table: 'images',
    columns: ['content_sha256'],
    select: `select 'images/' || content_sha256 as path from images`,
  },
  {
    table: 'uploads',
    columns: ['path', 'status', 'received_at'],
    select: `select path from uploads where status = 'open' and received_at is not null`,
  },
];

/** Returns a statement that selects the paths of all files that rows refer to, each once. */
export async function selectStoredPaths(sql: Queryable): Promise<string> {
  const known = await sql<{ name: string }[]>`
    select table_name || '.' || column_name as name
    from information_schema.columns
    where table_schema = current_schema() and table_name = any(${SOURCES.map(({ table }) => table)})`;
  const names = new Set(known.map(({ name }) => name));
  const selections = SOURCES.filter(({ table, columns }) =>
    columns.every((column) => names.has(`${table}.${column}`)),
  ).map(({ select }) => select);
  if (selections.length === 0) return 'select null where false';
  return `select path from (${selections.join(' union ')}) as stored order by path collate "C"`;
}
