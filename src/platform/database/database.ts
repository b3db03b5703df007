import pg from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import { isTracing } from '../telemetry/tracing.ts';
import { followPrimary, splitHosts } from './hosts.ts';
import { CHANNEL, createNotifications, type Notifications } from './notifications.ts';
import { runPipeline } from './pipeline.ts';
import { preparedName } from './prepared-names.ts';
import { shareConnections } from './shared-connection.ts';
import { type Execute, type Parameter, type Rows, type SqlFragment, Statement } from './statement.ts';
import { inStatementSpan } from './statement-span.ts';
import { dateOf, TIMESTAMPTZ } from './timestamp-parser.ts';
import { throwMarked } from './trouble.ts';

/** The `sql` tag of a pool or a transaction. */
// biome-ignore lint/suspicious/noExplicitAny: the default for callers that do not name the type of rows
export type Queryable = <R extends readonly object[] = Record<string, any>[]>(
  strings: TemplateStringsArray,
  ...parameters: Parameter[]
) => Statement<R>;

declare const isPool: unique symbol;
declare const isTransaction: unique symbol;

/** A pool of connections. Each statement runs by itself, outside a transaction. */
export interface Database extends Queryable {
  readonly [isPool]: true;
  /** The statements that begin a transaction. */
  readonly begin: string;
  readonly isPooled: boolean;
  /** Runs look-ups by key, which take less than a millisecond, several on one connection. */
  readonly lookups: Queryable;
  /** Runs statements on one connection, in their order. They are sent without waiting for each other. */
  pipeline<T>(work: (sql: Queryable) => Promise<T>): Promise<T>;
  /** The notifications that this pool and its siblings send after commits. */
  readonly notifications: Notifications;
  /** Reserves a connection until `release`. Released with an error, the connection is closed. */
  connect(): Promise<pg.PoolClient>;
  /** Opens another pool to the same server with other settings. Behind a pooler, settings have no effect. */
  sibling(options: Pick<DatabaseOptions, 'poolSize' | 'settings' | 'keepsIdle' | 'isPooled'>): Database;
  /** Returns the number of open and idle connections, and of callers that wait for one. */
  usage(): { open: number; idle: number; waiting: number };
  /** Waits for running statements and closes all connections. */
  end(): Promise<void>;
}

/** An open transaction. What must commit with its cause takes this type, so that a pool does not compile. */
export interface Transaction extends Queryable {
  readonly [isTransaction]: true;
  /**
   * Sends a statement without waiting for its result. Later statements and the commit are sent immediately after it. If
   * it fails, the transaction fails with its error and nothing is committed.
   */
  send(statement: SqlFragment): void;
  /** Like `send`, and returns what it reads, for whoever needs that after the commit. */
  sendForLater<T>(reading: PromiseLike<T>): Promise<T>;
  /** Runs a script of several statements without values. */
  script(text: string): Promise<void>;
  /** Calls `callback` after the commit, and never after a rollback. A crash loses the call, so nothing may depend on it. */
  afterCommit(callback: () => void): void;
  /**
   * Notifies the listeners of a topic once the transaction has committed; whether it arrives is not waited for. A NOTIFY
   * inside the transaction would make all such transactions commit one after the other, because PostgreSQL takes a lock
   * for it that spans the commit.
   */
  notifyAfterCommit(topic: string, subjects?: Iterable<string>): void;
}

/** The address of a server: a URL, or the socket of the embedded one. */
export type ConnectionTarget =
  | { url: string }
  | { host: string; port: number; database: string; username: string; password: string };

interface DatabaseOptions {
  poolSize: number;
  /** Whether the server is behind a transaction pooler, where nothing is kept between transactions. */
  isPooled?: boolean;
  statementTimeoutSeconds: number;
  idleTransactionTimeoutSeconds: number;
  applicationName: string;
  /** PostgreSQL settings of every connection. */
  settings?: Record<string, string>;
  /** Whether idle connections stay open, with their prepared statements. */
  keepsIdle?: boolean;
}

/** An idle connection whose other end has vanished is closed within half a minute, and not after two hours. */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };
const MIN_SUPPORTED_MAJOR = 15;
const CONNECT_TIMEOUT_MS = 10_000;
const INT8 = 20;

/** Opens a pool. Connections are made when first needed and made again when lost. */
export function openDatabase(
  target: ConnectionTarget,
  options: DatabaseOptions,
  shared?: Notifications,
): Database {
  const config = connectionConfig(target);
  const settings = Object.entries({ timezone: 'UTC', ...options.settings }).map(
    ([name, value]) => `-c ${name}=${value}`,
  );
  const limits = {
    statement_timeout: options.statementTimeoutSeconds * 1000,
    idle_in_transaction_session_timeout: options.idleTransactionTimeoutSeconds * 1000,
  };
  const pool = new pg.Pool({
    ...config,
    Client: connectionClass(target),
    max: options.poolSize,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: options.keepsIdle ? 0 : 60_000,
    ...KEEP_ALIVE,
    application_name: options.applicationName,
    types: { getTypeParser },
    // Behind a pooler, statements must not be pipelined: it must see one transaction end before the next begins.
    ...(!options.isPooled && {
      pipeline: true,
      ...limits,
      options: [config.options, ...settings].filter(Boolean).join(' '),
    }),
  });
  // The pool removes a broken idle connection by itself, and the next statement opens another.
  pool.on('error', () => undefined);
  // Without this listener, a connection that breaks between checkout and first use would end the process. The next
  // statement on it fails and reports the error.
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
    // A pooler gives each statement a connection of the server by itself.
    lookups: writeStatements(isPooled ? pool : shareConnections(pool), isPooled),
    pipeline: (work) => runPipeline(pool, isPooled, (runner) => work(writeStatements(runner, isPooled))),
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

/** Creates an `sql` tag whose statements run on `runner`. */
export function writeStatements(
  runner: { query(statement: pg.QueryConfig): Promise<pg.QueryResult> },
  isPooled: boolean,
): Queryable {
  const execute: Execute = async ({ text, values }) => {
    // Behind a pooler, the next use may run on a server connection that has not prepared the statement.
    const name = isPooled ? undefined : preparedName(text);
    const { rows, rowCount } = await runner
      .query({ text, values: values.map(written), ...(name && { name }) })
      .catch(throwMarked);
    return Object.assign(rows, { count: rowCount ?? 0 }) as Rows<object[]>;
  };
  const traced: Execute = (statement) => inStatementSpan(statement.text, () => execute(statement));
  return (strings, ...parameters) => new Statement(strings, parameters, isTracing() ? traced : execute);
}

/**
 * Writes an array of plain values as PostgreSQL reads it. The driver does the same and takes three times as long, which
 * shows with batches of thousands.
 */
function written(value: unknown): unknown {
  if (!Array.isArray(value) || value.some((item) => typeof item === 'object' && item !== null)) return value;
  let text = '';
  for (const item of value) {
    if (text !== '') text += ',';
    text += item === null || item === undefined ? 'NULL' : typeof item === 'string' ? quoted(item) : item;
  }
  return `{${text}}`;
}

function quoted(text: string): string {
  const isPlain = !text.includes('"') && !text.includes('\\');
  return isPlain ? `"${text}"` : `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}

/** Returns the configuration of a connection. With several hosts, it is that of the first. */
export function connectionConfig(target: ConnectionTarget): pg.ClientConfig {
  if ('url' in target) return configOfUrl(splitHosts(target.url)[0] ?? target.url);
  const { host, port, database, username, password } = target;
  return { host, port, database, user: username, password };
}

const classes = new WeakMap<ConnectionTarget, typeof pg.Client>();

/** Returns the class of connections to a target. With several hosts, they connect to the one that accepts writes. */
export function connectionClass(target: ConnectionTarget): typeof pg.Client {
  const urls = 'url' in target ? splitHosts(target.url) : [];
  if (urls.length < 2) return pg.Client;
  const known = classes.get(target) ?? followPrimary(urls.map(configOfUrl));
  classes.set(target, known);
  return known;
}

/** URLs are read as libpq reads them, including the meaning of each sslmode. */
function configOfUrl(url: string): pg.ClientConfig {
  return parseIntoClientConfig(`${url}${url.includes('?') ? '&' : '?'}uselibpqcompat=true`);
}

/** Parses int8 as a number, timestamps faster than the client library, and other types like it. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === INT8) return Number;
  return oid === TIMESTAMPTZ ? dateOf : pg.types.getTypeParser(oid, format as 'text');
}

/** Throws when the server is older than Nexus supports, instead of failing with a syntax error later. */
export async function refuseOldServer(sql: Database, minMajor = MIN_SUPPORTED_MAJOR): Promise<void> {
  const [row] = await sql<[{ number: number; version: string }]>`
    select current_setting('server_version_num')::int as number, current_setting('server_version') as version`;
  if (row.number >= minMajor * 10_000) return;
  throw new Error(
    `The database server runs PostgreSQL ${row.version}. Nexus requires ${minMajor} or newer. ` +
      'Set NEXUS_DATABASE_URL to a newer server, or unset it to use the embedded PostgreSQL.',
  );
}
