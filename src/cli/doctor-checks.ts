import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Config } from '../app/config.ts';
import { lastBackup, scheduleAge } from '../features/backup/backup-log.ts';
import type { Database } from '../platform/database/database.ts';
import { createEgress } from '../platform/egress/egress.ts';
import { newId } from '../platform/ids.ts';
import { storageOnDemand } from '../platform/storage/open-storage.ts';

/** The result of one check: a sentence that says what is, and if something is wrong, what to do. */
export interface Check {
  outcome: 'ok' | 'warning' | 'FAILED';
  says: string;
}

const ok = (says: string): Check => ({ outcome: 'ok', says });
const warning = (says: string): Check => ({ outcome: 'warning', says });
const failed = (says: string): Check => ({ outcome: 'FAILED', says });

/** A backup that is late by more intervals than this has failed. */
const MOST_INTERVALS = 2;
const ANSWER_LIMITS = { connectMs: 5000, totalMs: 5000 };
/** Connections that PostgreSQL keeps for its own work and for administrators. */
const RESERVED_CONNECTIONS = 10;

/** Writes a file, reads it and deletes it. */
export async function checkStorage({ storage: options }: Pick<Config, 'storage'>): Promise<Check[]> {
  const storage = storageOnDemand(options);
  const [place, advice] =
    options.kind === 'local'
      ? [options.directory, 'Make the directory writable for the account of Nexus.']
      : [`the bucket ${options.bucket}`, 'Check the NEXUS_S3_… variables and the rights of the key.'];
  const name = `doctor/${newId()}`;
  try {
    await storage.open();
    await storage.put(name, Buffer.from(name));
    const stored = await storage.get(name);
    const text = stored && (await buffer(stored.content)).toString();
    await storage.delete(name);
    if (text !== name) return [failed(`${place} returned another file than was stored. ${advice}`)];
    return [ok(`Files can be stored, read and deleted in ${place}.`)];
  } catch (error) {
    return [failed(`Files cannot be kept in ${place}: ${(error as Error).message}. ${advice}`)];
  } finally {
    storage.close();
  }
}

interface Settings {
  encoding: string;
  provider: string;
  collation: string;
  is_other_version: boolean;
  is_durable: boolean;
  max_connections: number;
  used_connections: number;
}

/** Checks the settings of a database that may be somebody else's. */
export async function checkSettings(sql: Database, { database }: Pick<Config, 'database'>): Promise<Check[]> {
  const [settings] = await sql<[Settings]>`
    select
      pg_encoding_to_char(encoding) as encoding,
      datlocprovider as provider,
      datcollate as collation,
      coalesce(datcollversion <> pg_database_collation_actual_version(oid), false) as is_other_version,
      current_setting('fsync')::boolean and current_setting('full_page_writes')::boolean
        and current_setting('synchronous_commit') <> 'off' as is_durable,
      current_setting('max_connections')::int as max_connections,
      (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as used_connections
    from pg_database
    where datname = current_database()`;
  return [encoding(settings), collation(settings), durability(settings), connections(settings)];

  function connections({ max_connections: most, used_connections: used }: Settings): Check {
    const says = `${used} of ${most} connections are in use. Each process of Nexus opens up to ${database.poolSize} and two more.`;
    if (most - used - RESERVED_CONNECTIONS >= database.poolSize) return ok(says);
    return warning(`${says} Raise max_connections, lower NEXUS_DATABASE_POOL_SIZE, or use a pooler.`);
  }
}

function encoding({ encoding: name }: Settings): Check {
  if (name === 'UTF8') return ok('The database stores UTF-8.');
  return failed(`The database stores ${name}. Nexus needs one that was created with encoding 'UTF8'.`);
}

function collation({ provider, collation: name, is_other_version }: Settings): Check {
  if (is_other_version) {
    return failed(
      'The sort order of the operating system has changed since the indexes were built. Run `reindex database`, then `alter database … refresh collation version`.',
    );
  }
  if (provider === 'b' || name === 'C' || name === 'POSIX') return ok('Its sort order never changes.');
  return ok(
    `Its sort order ${name} comes from the operating system. After an upgrade of it, run doctor again.`,
  );
}

function durability({ is_durable }: Settings): Check {
  if (is_durable) return ok('Commits survive a power loss.');
  return warning(
    'Commits can be lost in a power loss: fsync, full_page_writes or synchronous_commit is off. Switch them on.',
  );
}

/** Fetches a page, as saving a link does. */
export async function checkEgress({ egressAllow: allow }: Pick<Config, 'egressAllow'>): Promise<Check> {
  const page = 'https://example.com/';
  try {
    const { body } = await createEgress({ allow, limits: ANSWER_LIMITS }).request(page, { method: 'HEAD' });
    body.destroy();
    return ok('Pages of the internet can be fetched.');
  } catch (error) {
    return warning(
      `${page} cannot be fetched: ${(error as Error).message} Links can be saved only if this machine resolves names and reaches ports 80 and 443.`,
    );
  }
}

/** Follows the way that people take to Nexus. */
export async function checkPublicUrl({ publicUrl, isLocal }: Config): Promise<Check> {
  if (publicUrl === undefined) {
    if (isLocal) return ok('Nexus serves only this machine: NEXUS_PUBLIC_URL is not set.');
    return warning(
      'NEXUS_PUBLIC_URL is not set. Links in invitations lead nowhere; set it to where people reach Nexus.',
    );
  }
  const { hostname, port, protocol } = new URL(publicUrl);
  const egress = createEgress({
    allow: [`${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`],
    limits: ANSWER_LIMITS,
  });
  try {
    const { text } = await egress.fetchText(`${publicUrl}/healthz`);
    if (text.includes('"status":"ok"')) return ok(`${publicUrl} leads to a running Nexus.`);
    return warning(`${publicUrl} leads to another program. Check NEXUS_PUBLIC_URL, the proxy and DNS.`);
  } catch (error) {
    return warning(
      `${publicUrl} cannot be reached from here: ${(error as Error).message} Start Nexus, and check the proxy and DNS.`,
    );
  }
}

/** Without its proxy, Nexus takes all people for one caller. */
export function checkProxies({ publicUrl, trustedProxies }: Config): Check[] {
  if (!publicUrl?.startsWith('https:')) return [];
  if (trustedProxies.length > 0)
    return [ok(`X-Forwarded-For is believed from ${trustedProxies.join(', ')}.`)];
  return [
    warning(
      'NEXUS_TRUSTED_PROXIES is not set. The audit log and the limit of failed sign-ins see the proxy instead of the caller; set it to the address of the proxy.',
    ),
  ];
}

/** Without scheduled backups, their age is only told: backups may be made by other means. */
export async function checkBackups(sql: Database, { backups }: Config): Promise<Check[]> {
  const last = await lastBackup(sql);
  if (!backups) {
    return last
      ? [checkLastBackup(last)]
      : [warning('No backup has been made yet. Set NEXUS_BACKUP_DIR, or run `nexus backup FILE`.')];
  }
  const made = last ? checkLastBackup(last, backups) : checkSchedule(await scheduleAge(sql), backups);
  return [await checkBackupDirectory(backups), made];
}

type ScheduledBackups = NonNullable<Config['backups']>;

const isLate = (age: number, { everyHours }: ScheduledBackups) => age > everyHours * 3600 * MOST_INTERVALS;
const inHours = (seconds: number) => `${(seconds / 3600).toFixed(1)} hours`;

function checkLastBackup(
  { age, missing_files }: { age: number; missing_files: number },
  backups?: ScheduledBackups,
): Check {
  const says = `The last backup was made ${inHours(age)} ago`;
  if (backups && isLate(age, backups)) {
    return failed(
      `${says}, and one is due every ${backups.everyHours} hours. Look at the job \`backup\` in the console.`,
    );
  }
  if (missing_files === 0) return ok(`${says}.`);
  return failed(
    `${says}, and ${missing_files} files are not in it, because they were not in the storage. Until a backup has all files, scheduled backups delete no older ones. Mount the storage, or look at the findings of the integrity audit.`,
  );
}

function checkSchedule(age: number | null, backups: ScheduledBackups): Check {
  if (age === null || !isLate(age, backups)) {
    return ok(
      'No backup has been made yet. One is made when a worker runs; look at the job `backup` in the console.',
    );
  }
  return failed(
    `No backup has been made, although they have been scheduled for ${inHours(age)}, every ${backups.everyHours} hours. Look at the job \`backup\` in the console, and run a worker with NEXUS_BACKUP_DIR.`,
  );
}

/** Writes a file and deletes it. */
async function checkBackupDirectory({ directory }: ScheduledBackups): Promise<Check> {
  const file = path.join(directory, `doctor-${newId()}`);
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await writeFile(file, '', { flag: 'wx' });
    await rm(file);
    return ok(`Backups can be written to ${directory}.`);
  } catch (error) {
    return failed(
      `Backups cannot be written to ${directory}: ${(error as Error).message}. Make it writable for the account of Nexus, or change NEXUS_BACKUP_DIR.`,
    );
  }
}
