import postgres from 'postgres';

/** A pool of connections. Statements on it run on their own, outside any transaction. */
export type Database = postgres.Sql;

/**
 * A transaction under way. What must commit together with its cause takes this type,
 * so that handing it a pool instead does not compile.
 */
export type Transaction = postgres.TransactionSql;

/** Either of the two, for statements that read and do not mind. */
export type Queryable = Database | Transaction;

/** Where a server is: a URL, or the socket of the embedded one. */
export type ConnectionTarget =
  | { url: string }
  | { host: string; port: number; database: string; username: string; password: string };

export interface DatabaseOptions {
  poolSize: number;
  statementTimeoutSeconds: number;
  idleTransactionTimeoutSeconds: number;
  applicationName: string;
}

export const OLDEST_SUPPORTED_MAJOR = 15;

/** Opens a pool. Connections are made when first needed and made again when lost. */
export function openDatabase(target: ConnectionTarget, options: DatabaseOptions): Database {
  const settings = {
    max: options.poolSize,
    connect_timeout: 10,
    onnotice: () => undefined,
    connection: {
      application_name: options.applicationName,
      TimeZone: 'UTC',
      statement_timeout: options.statementTimeoutSeconds * 1000,
      idle_in_transaction_session_timeout: options.idleTransactionTimeoutSeconds * 1000,
    },
  };
  if (!('url' in target)) return postgres({ ...target, ...settings });
  const { url, host, port } = readDatabaseUrl(target.url);
  return postgres(url, { ...settings, ...(host && { host }), ...(port && { port }) });
}

/**
 * Takes a Unix socket out of a URL in the ways that PostgreSQL's own programs allow and the client library does
 * not: `postgres:///nexus?host=/var/run/postgresql`, with or without a user before the empty host.
 */
export function readDatabaseUrl(text: string): {
  url: string;
  host?: string | undefined;
  port?: number | undefined;
} {
  const url = new URL(text.replace(/^(\w+:\/\/[^/?#]*@)(?=[/?]|$)/, '$1localhost'));
  const host = url.searchParams.get('host') ?? undefined;
  const port = Number(url.searchParams.get('port')) || undefined;
  url.searchParams.delete('host');
  url.searchParams.delete('port');
  return { url: url.href, host, port };
}

/** Answers a server that is older than Nexus supports with a sentence instead of a syntax error later. */
export async function refuseOldServer(sql: Database): Promise<void> {
  const [row] = await sql<[{ number: number; version: string }]>`
    select current_setting('server_version_num')::int as number, current_setting('server_version') as version`;
  if (row.number >= OLDEST_SUPPORTED_MAJOR * 10_000) return;
  throw new Error(
    `The database server runs PostgreSQL ${row.version}; Nexus needs ${OLDEST_SUPPORTED_MAJOR} or newer. ` +
      'Point NEXUS_DATABASE_URL at a newer server, or unset it to use the one that Nexus brings along.',
  );
}
