import { z } from 'zod';

/*
 * A backup is a tar file with these entries, in this order. docs/backup.md describes it for people.
 *
 *   nexus-backup.json             the header
 *   tables/<table>/<n>.copy.gz    rows, as COPY writes them
 *   files/<path>                  stored files
 *   checksums/<n>.sha256          the SHA-256 of the files since the last such entry
 *   manifest.json                 the counts and checksums of all that came before
 *   sha256                        the SHA-256 of every byte that came before its own content
 */

export const FORMAT_VERSION = 1;
export const HEADER_NAME = 'nexus-backup.json';
export const MANIFEST_NAME = 'manifest.json';
export const DIGEST_NAME = 'sha256';

/** Rows are cut into parts of about this size: a part is kept in memory while it is compressed. */
export const ROWS_BYTES = 4 * 1024 * 1024;
/** The most that a reader takes into memory for one entry that is not a file. One row may make a part larger. */
export const LARGEST_PART = 1024 ** 3;
/** How many files one entry of checksums covers at most. */
export const CHECKSUMMED_FILES = 1000;
/** How many missing files the manifest names; it counts all. */
export const NAMED_MISSING = 1000;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.int().min(0);

const migration = z.strictObject({ version: z.int().min(1), name: z.string(), checksum: z.string() });

export const header = z.object({
  format: z.int().min(1),
  nexus_version: z.string(),
  postgresql_version: z.string(),
  created_at: z.iso.datetime(),
  /** The migrations that were applied to the database. */
  migrations: z.array(migration).min(1),
  /** All tables, with the columns that are stored of them. */
  tables: z.array(z.strictObject({ name: z.string().min(1), columns: z.array(z.string()).min(1) })),
});
export type Header = z.output<typeof header>;

const tableSummary = z.strictObject({
  rows: count,
  /** The size and the SHA-256 of the rows before compression. */
  bytes: count,
  sha256,
});
export type TableSummary = z.output<typeof tableSummary>;

export const manifest = z.strictObject({
  tables: z.record(z.string(), tableSummary),
  sequences: z.array(
    z.strictObject({ name: z.string(), last_value: z.string().regex(/^-?\d+$/), is_called: z.boolean() }),
  ),
  files: z.strictObject({ count, bytes: count }),
  /** Files that rows refer to and that were not in the storage. */
  missing_files: z.strictObject({ count, paths: z.array(z.string()) }),
});
export type Manifest = z.output<typeof manifest>;
