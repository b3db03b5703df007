import { z } from 'zod';
import { ROLES } from '../contract/roles.ts';
import { connectionConfig } from '../platform/database/database.ts';
import { parseAllowList } from '../platform/egress/allow-list.ts';

/** One environment variable: how it is read, what it takes and what it is for. docs/configuration.md says the same. */
interface Variable<T extends z.ZodType = z.ZodType> {
  reads: T;
  takes: string;
  purpose: string;
  secret?: true;
}

function variable<T extends z.ZodType>(takes: string, reads: T, purpose: string): Variable<T> {
  return { reads, takes, purpose };
}

function secret<T extends z.ZodType>(takes: string, reads: T, purpose: string): Variable<T> {
  return { reads, takes, purpose, secret: true };
}

const list = (text: string) => text.split(',').map((entry) => entry.trim());
const isLimit = (text: string) => /^\d{1,7}$/.test(text) && Number(text) >= 1 && Number(text) <= 1_000_000;
/** PostgreSQL's own programs read the URL in the same way. Characters that a password must escape trip people up. */
const isDatabaseUrl = (text: string) =>
  /^postgres(ql)?:\/\/\S+$/.test(text) && isAccepted(() => connectionConfig({ url: text }));
const isAllowList = (entries: string[]) => isAccepted(() => parseAllowList(entries));

function isAccepted(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}

/** Kinds of values that several variables take: in words, and as a schema. */
const flag = (standard: boolean) => ['`true` or `false`', z.stringbool().default(standard)] as const;
const whole = (least: number, most: number) => z.coerce.number().int().min(least).max(most);
const amount = (what: string) => (least: number, most: number, standard: number) =>
  [`${what} from ${least} to ${most}`, whole(least, most).default(standard)] as const;
const port = amount('a port');
const number = amount('a number');
const megabytes = amount('a number of megabytes');
const seconds = amount('a number of seconds');
const minutes = amount('a number of minutes');
const hours = amount('a number of hours');
const days = amount('a number of days');
const httpUrl = ['an http:// or https:// URL', z.url({ protocol: /^https?$/ }).optional()] as const;
const secretText = [
  'at most 200 ASCII characters without spaces, and in `prod` at least 20',
  z
    .string()
    .regex(/^[!-~]{1,200}$/)
    .optional(),
] as const;
const bootstrapKey = (role: string) =>
  secret(
    ...secretText,
    `Key of the user \`dev-${role}\`, made at start. Without it, \`dev\` makes a random one once per data directory, \`test\` uses \`nexus-dev-${role}-key\`, and \`prod\` has none.`,
  );

export const VARIABLES = {
  NEXUS_ENV: variable(
    '`dev`, `test` or `prod`',
    z.enum(['dev', 'test', 'prod']).default('dev'),
    'In `dev`, four keys are made so that you can start at once (`nexus keys show --bootstrap`). `test` is for automated tests: its keys are well known. Use `prod` for everything else.',
  ),
  NEXUS_HOST: variable('an address or host name', z.string().default('127.0.0.1'), 'Where to listen.'),
  NEXUS_PORT: variable(...port(0, 65535, 8080), 'Where to listen; 0 takes a free one.'),
  NEXUS_PUBLIC_URL: variable(
    'an http:// or https:// URL',
    z
      .url({ protocol: /^https?$/ })
      .transform((url) => url.replace(/\/+$/, ''))
      .optional(),
    'Where people reach Nexus: for the links that it prints, and for cookies, which are `Secure` when it is https. Without it, a Nexus that listens on loopback answers only requests to `localhost` or a loopback address.',
  ),
  NEXUS_DATA_DIR: variable(
    'a directory',
    z.string().optional(),
    "Where Nexus keeps its data. Defaults to the platform's place for it: `/var/lib/nexus` for root, `~/.local/share/nexus` on Linux, `~/Library/Application Support/Nexus` on macOS.",
  ),
  NEXUS_DATABASE_URL: secret(
    'a postgres:// URL, in whose password all but letters and digits is percent-encoded',
    z.string().refine(isDatabaseUrl).optional(),
    'A PostgreSQL of your own, 15 or newer. Without it, Nexus runs the one it brings along.',
  ),
  NEXUS_DATABASE_POOL_SIZE: variable(...number(1, 500, 10), 'Database connections per process.'),
  NEXUS_DATABASE_POOLED: variable(
    ...flag(false),
    'Whether the URL leads to a pooler that lends connections for one transaction at a time, such as PgBouncer in transaction mode. Workers then find work by polling alone.',
  ),
  NEXUS_DATABASE_STATEMENT_TIMEOUT_SECONDS: variable(
    ...seconds(1, 3600, 30),
    'A statement that runs longer is cancelled.',
  ),
  NEXUS_DATABASE_IDLE_TRANSACTION_TIMEOUT_SECONDS: variable(
    ...seconds(1, 3600, 60),
    'A transaction that does nothing for longer is ended, so that it cannot hold locks.',
  ),
  NEXUS_BODY_LIMIT_BYTES: variable(
    ...number(1024, 100 * 1024 * 1024, 1024 * 1024),
    'The largest request body that is read.',
  ),
  NEXUS_SHUTDOWN_GRACE_SECONDS: variable(
    ...seconds(0, 600, 25),
    'How long requests under way may take to finish when Nexus stops.',
  ),
  NEXUS_LOG_LEVEL: variable(
    '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`',
    z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
    'How much is logged.',
  ),
  NEXUS_LOG_FORMAT: variable(
    '`json` or `pretty`',
    z.enum(['json', 'pretty']).optional(),
    'Defaults to `pretty` on a terminal and `json` elsewhere.',
  ),
  NEXUS_RAW_MODE_ENABLED: variable(...flag(false), 'Whether RAW mode can be used at all.'),
  NEXUS_ASYNC_JOBS_ENABLED: variable(...flag(true), 'Whether jobs can be queued over the API.'),
  NEXUS_SHADOW_EXECUTION_ENABLED: variable(
    ...flag(false),
    'Whether analyses can run in execution mode `shadow`. See [analysis.md](analysis.md).',
  ),
  NEXUS_BLOCKED_TERMS: secret(
    'terms, separated by commas',
    z
      .string()
      .transform((text) => list(text).filter(Boolean))
      .pipe(z.array(z.string().max(200)).max(1000))
      .default([]),
    'What is redacted in PUBLIC mode, beside the policies that admins make. See [governance.md](governance.md).',
  ),
  NEXUS_PLUGIN_ML_ENABLED: variable(...flag(false), 'Whether texts may be sent to a model for analysis.'),
  NEXUS_PLUGIN_ML_URL: variable(
    ...httpUrl,
    'An OpenAI-compatible endpoint, with its version: `http://127.0.0.1:11434/v1`. It may be private; nothing but the model client can then reach it.',
  ),
  NEXUS_PLUGIN_ML_MODEL: variable('a name', z.string().max(200).optional(), 'The model that is asked there.'),
  NEXUS_PLUGIN_ML_API_KEY: secret(
    'a key',
    z.string().max(1000).optional(),
    'Sent to the endpoint as a bearer token.',
  ),
  NEXUS_PLUGIN_ML_TIMEOUT_SECONDS: variable(
    ...seconds(1, 600, 60),
    'How long the model may take for one layer of a text.',
  ),
  NEXUS_WORKER_CONCURRENCY: variable(...number(1, 1000, 10), 'How many jobs a worker runs at once.'),
  NEXUS_WORKER_LEASE_SECONDS: variable(
    ...seconds(1, 3600, 30),
    'A worker that has not been heard of for as long is taken for dead, and its jobs run elsewhere.',
  ),
  NEXUS_WORKER_POLL_SECONDS: variable(
    'a number of seconds from 0.1 to 3600',
    z.coerce.number().min(0.1).max(3600).default(2),
    'How often a worker looks for work that no hint told it of.',
  ),
  NEXUS_WORKER_GRACE_SECONDS: variable(
    ...seconds(0, 3600, 25),
    'How long running jobs may take to finish when a worker stops.',
  ),
  NEXUS_METRICS_PORT: variable(
    'a port from 0 to 65535',
    whole(0, 65535).optional(),
    'Where `nexus worker` answers `/healthz`, `/readyz`, `/metrics` and `/metrics/prometheus`, on `NEXUS_HOST`; 0 takes a free one. Without it, a worker does not listen. See [metrics.md](metrics.md).',
  ),
  NEXUS_JOB_RETENTION_DAYS: variable(
    ...days(1, 3650, 30),
    'How long jobs that are over are kept, with their attempts and artifacts.',
  ),
  NEXUS_OUTBOX_SWEEP_INTERVAL_MINUTES: variable(
    ...minutes(1, 1440, 5),
    'How often events are looked for that no hint told of.',
  ),
  NEXUS_OUTBOX_RETENTION_HOURS: variable(
    ...hours(1, 8760, 168),
    'How long events are kept that were delivered or have failed, and the log of deliveries to webhooks.',
  ),
  NEXUS_AUDIT_RETENTION_DAYS: variable(
    ...days(1, 36_500, 365),
    'How long entries of the audit log are kept.',
  ),
  NEXUS_DEFAULT_ROLE: variable(
    '`viewer`, `operator`, `researcher` or `admin`',
    z.enum(ROLES).default('viewer'),
    'The role of a new person when nobody chooses one.',
  ),
  NEXUS_REQUESTS_PER_MINUTE: variable(
    'four numbers from 1 to 1000000, for viewer, operator, researcher and admin, separated by commas',
    z
      .string()
      .default('3000,6000,6000,12000')
      .refine((text) => list(text).length === 4 && list(text).every((entry) => isLimit(entry))),
    'How many requests a key may make, by its role, unless it has a limit of its own. See [rate-limits.md](rate-limits.md).',
  ),
  NEXUS_INTERNAL_SECRET: secret(
    ...secretText,
    'Opens the routes under `/internal` to callers that send it as `X-Nexus-Internal`.',
  ),
  NEXUS_TOKEN_SECRET: secret(
    ...secretText,
    'Signs access tokens. Without it, a secret is made once and kept in the database.',
  ),
  NEXUS_TRUSTED_PROXIES: variable(
    'addresses or networks, separated by commas',
    z
      .string()
      .regex(/^[0-9a-fA-F.:/]+(\s*,\s*[0-9a-fA-F.:/]+)*$/)
      .transform(list)
      .default([]),
    'Reverse proxies whose `X-Forwarded-For` is believed, so that the audit log shows the caller.',
  ),
  NEXUS_EGRESS_ALLOW: variable(
    'host:port or networks such as 10.0.0.0/8, separated by commas',
    z.string().transform(list).refine(isAllowList).default([]),
    'What Nexus may fetch from, and send webhooks to, although it is not public, such as an intranet. Every person who can save a link can then reach it. See [egress.md](egress.md).',
  ),
  NEXUS_STORAGE: variable(
    '`local` or `s3`',
    z.enum(['local', 's3']).default('local'),
    'Where files are kept: below `NEXUS_DATA_DIR`, or in an S3-compatible store. See [storage.md](storage.md).',
  ),
  NEXUS_S3_ENDPOINT: variable(...httpUrl, "Where the store is. Without it, it is Amazon's."),
  NEXUS_S3_BUCKET: variable(
    'a bucket',
    z.string().optional(),
    'Required with `NEXUS_STORAGE=s3`. It must exist.',
  ),
  NEXUS_S3_REGION: variable('a region', z.string().default('us-east-1'), 'The region of the bucket.'),
  NEXUS_S3_ACCESS_KEY_ID: variable(
    'an access key',
    z.string().optional(),
    "Without it, the machine's own credentials are used, as Amazon's tools find them.",
  ),
  NEXUS_S3_SECRET_ACCESS_KEY: secret('a secret key', z.string().optional(), 'Goes with the access key.'),
  NEXUS_S3_PATH_STYLE: variable(
    ...flag(true),
    "Whether the bucket stands in the path, as most stores but Amazon's want it.",
  ),
  NEXUS_S3_DIRECT_UPLOADS: variable(
    ...flag(false),
    'Whether browsers upload to the store directly. They must be able to reach it, and it must allow it (CORS).',
  ),
  NEXUS_STORAGE_QUOTA_MB: variable(
    ...megabytes(0, 100_000_000, 10_240),
    'How much each person may store, unless an admin gave them a quota of their own; 0 means no limit. See [storage.md](storage.md).',
  ),
  NEXUS_PURGE_AFTER_DAYS: variable(
    ...days(0, 3650, 30),
    'How long removed items stay in the trash, and how long items that nobody holds any more are kept.',
  ),
  NEXUS_NEO4J_URL: variable(
    'a URL such as neo4j://host:7687 or bolt://host:7687',
    z
      .string()
      .regex(/^(neo4j|bolt)(\+s|\+ssc)?:\/\/\S+$/)
      .optional(),
    'A Neo4j that the document graph is copied to. See [graph.md](graph.md).',
  ),
  NEXUS_NEO4J_USERNAME: variable('a name', z.string().default('neo4j'), 'Who Nexus is there.'),
  NEXUS_NEO4J_PASSWORD: secret('a password', z.string().optional(), 'Goes with the name.'),
  NEXUS_BOOTSTRAP_VIEWER_KEY: bootstrapKey('viewer'),
  NEXUS_BOOTSTRAP_OPERATOR_KEY: bootstrapKey('operator'),
  NEXUS_BOOTSTRAP_RESEARCHER_KEY: bootstrapKey('researcher'),
  NEXUS_BOOTSTRAP_ADMIN_KEY: bootstrapKey('admin'),
} satisfies Record<string, Variable>;

export type VariableName = keyof typeof VARIABLES;
export type Values = { [Name in VariableName]: z.output<(typeof VARIABLES)[Name]['reads']> };
