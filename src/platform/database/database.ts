import pg from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import { CHANNEL, createNotifications, type Notifications } from './notifications.ts';
import { type Parameter, type Rows, Statement } from './statement.ts';
import { markDriverError } from './trouble.ts';

/** Writes SQL with values: a pool, or a transaction. */
// biome-ignore lint/suspicious/noExplicitAny: rows whose type the caller does not name
export type Queryable = <R extends readonly object[] = Record<string, any>[]>(
  strings: TemplateStringsArray,
  ...parameters: Parameter[]
) => Statement<R>;

declare const isPool: unique symbol;
declare const isTransaction: unique symbol;

/** A pool of connections. Statements on it run on their own, outside any transaction. */
export interface Database extends Queryable {
  readonly [isPool]: true;
  /** The statements that begin a transaction. */
  readonly begin: string;
  readonly isPooled: boolean;
  /** What is told after commits, by this pool and its siblings. */
  readonly notifications: Notifications;
  /** A connection of one's own until `release`; with an error, it is thrown away. */
  connect(): Promise<pg.PoolClient>;
  /** Another pool to the same place, with settings of its own; behind a pooler, connections cannot have any. */
  sibling(options: Pick<DatabaseOptions, 'poolSize' | 'settings' | 'keepsIdle'>): Database;
  /** The connections there are, those that nobody uses, and who waits for one. */
  usage(): { open: number; idle: number; waiting: number };
  /** Waits for what is under way and closes every connection. */
  end(): Promise<void>;
}

/**
 * A transaction under way. What must commit together with its cause takes this type,
 * so that handing it a pool instead does not compile.
 */
export interface Transaction extends Queryable {
  readonly [isTransaction]: true;
  /**
   * Sends a statement whose answer nobody waits for. What follows it is sent at once, the commit too; should it fail, the
   * transaction fails with its error, and nothing is committed.
   */
  send(statement: Statement<object[]>): void;
  /** Runs a script of several statements that takes no values. */
  script(text: string): Promise<void>;
  /** Called once the transaction has committed, and never if it has not: for hints that may be lost, not for work. */
  afterCommit(hint: () => void): void;
  /**
   * Notifies the listeners of a topic once the transaction has committed; whether it arrives is not waited for. A NOTIFY
   * inside the transaction would make all such transactions commit one after the other, because PostgreSQL takes a lock
   * for it that spans the commit.
   */
  notifyAfterCommit(topic: string, subjects?: Iterable<string>): void;
}

/** Where a server is: a URL, or the socket of the embedded one. */
export type ConnectionTarget =
  | { url: string }
  | { host: string; port: number; database: string; username: string; password: string };

export interface DatabaseOptions {
  poolSize: number;
  /**
   * Whether a pooler stands in between that lends a server connection for one transaction at a time. Nothing may then be
   * left on a connection: no settings, no prepared statements, nobody who listens.
   */
  isPooled?: boolean;
  statementTimeoutSeconds: number;
  idleTransactionTimeoutSeconds: number;
  applicationName: string;
  /** Of PostgreSQL, for every connection of the pool. */
  settings?: Record<string, string>;
  /** Whether connections stay open however long nobody uses them, with what they have prepared. */
  keepsIdle?: boolean;
}

export const OLDEST_SUPPORTED_MAJOR = 15;
const CONNECT_TIMEOUT_MS = 10_000;
const INT8 = 20;

/** Opens a pool. Connections are made when first needed and made again when lost. */
export function openDatabase(
  target: ConnectionTarget,
  options: DatabaseOptions,
  shared?: Notifications,
): Database {
  const config = connectionConfig(target);
  const limits = {
    statement_timeout: options.statementTimeoutSeconds * 1000,
    idle_in_transaction_session_timeout: options.idleTransactionTimeoutSeconds * 1000,
  };
  const pool = new pg.Pool({
    ...config,
    max: options.poolSize,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: options.keepsIdle ? 0 : 60_000,
    keepAlive: true,
    application_name: options.applicationName,
    types: { getTypeParser },
    // A pooler must see one transaction end before the next begins.
    ...(!options.isPooled && {
      pipeline: true,
      ...limits,
      options: startOptions(config.options, { timezone: 'UTC', ...options.settings }),
    }),
  });
  // An idle connection that breaks leaves the pool by itself; the next statement makes another.
  pool.on('error', () => undefined);
  // One that breaks in the instant between being lent and being used would end the process: nobody listens to it then.
  // Whoever uses it next is told by the statement that fails.
  pool.on('connect', (client) => client.on('error', () => undefined));

  const setLimits = Object.entries(limits).map(([name, value]) => `; set local ${name} = ${value}`);
  const isPooled = options.isPooled ?? false;
  const notifications =
    shared ??
    createNotifications((messages) =>
      pool.query('select pg_notify($1, message) from unnest($2::text[]) as message', [CHANNEL, messages]),
    );
  return Object.assign(writeStatements(pool, isPooled), {
    isPooled,
    notifications,
    begin: options.isPooled ? `begin${setLimits.join('')}` : 'begin',
    connect: () => pool.connect().catch(throwMarked),
    sibling: (others) => openDatabase(target, { ...options, ...others }, notifications),
    usage: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    end() {
      if (!shared) notifications.close();
      return pool.end();
    },
  } satisfies Partial<Database>) as unknown as Database;
}

function startOptions(given: string | undefined, settings: Record<string, string>): string {
  const own = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  return [given, ...own].filter(Boolean).join(' ');
}

/** Lets statements be written for anything that runs them. */
export function writeStatements(
  runner: { query(statement: pg.QueryConfig): Promise<pg.QueryResult> },
  isPooled: boolean,
): Queryable {
  return (strings, ...parameters) =>
    new Statement(strings, parameters, async ({ name, text, values }) => {
      // Behind a pooler, the next statement may be run by a server connection that has not prepared it.
      const { rows, rowCount } = await runner
        .query({ text, values, ...(name && !isPooled && { name }) })
        .catch(throwMarked);
      return Object.assign(rows, { count: rowCount ?? 0 }) as Rows<object[]>;
    });
}

/** For promises of the driver: what they reject with is told from errors of other connections. */
export function throwMarked(error: unknown): never {
  throw markDriverError(error);
}

export function connectionConfig(target: ConnectionTarget): pg.ClientConfig {
  // The way PostgreSQL's own programs read a URL, down to what each sslmode means.
  if ('url' in target) return parseIntoClientConfig(withLibpqMeaning(target.url));
  const { host, port, database, username, password } = target;
  return { host, port, database, user: username, password };
}

function withLibpqMeaning(url: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}uselibpqcompat=true`;
}

/** Counts come as numbers; the rest as the client library has it. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text');
}

/** Answers a server that is older than Nexus supports with a sentence instead of a syntax error later. */
export async function refuseOldServer(sql: Database, oldestMajor = OLDEST_SUPPORTED_MAJOR): Promise<void> {
  const [row] = await sql<[{ number: number; version: string }]>`
    select current_setting('server_version_num')::int as number, current_setting('server_version') as version`;
  if (row.number >= oldestMajor * 10_000) return;
  throw new Error(
    `The database server runs PostgreSQL ${row.version}; Nexus needs ${oldestMajor} or newer. ` +
      'Point NEXUS_DATABASE_URL at a newer server, or unset it to use the one that Nexus brings along.',
  );
}
