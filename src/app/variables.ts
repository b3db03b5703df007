import { z } from 'zod';
import { ROLES } from '../contract/roles.ts';
import { connectionConfig } from '../platform/database/database.ts';
import { splitHosts } from '../platform/database/hosts.ts';
import { parseAllowList } from '../platform/egress/allow-list.ts';
import { parseUrl } from '../platform/url.ts';

/** One environment variable: how it is read, what it takes and what it is for. docs/configuration.md says the same. */
interface Variable<T extends z.ZodType = z.ZodType> {
  reads: T;
  takes: string;
  purpose: string;
  secret?: true;
}

/** A kind of value: in words, and as a schema. Its purpose makes it a variable. */
function takes<T extends z.ZodType>(words: string, reads: T) {
  return {
    for: (purpose: string): Variable<T> => ({ reads, takes: words, purpose }),
    secretFor: (purpose: string): Variable<T> => ({ reads, takes: words, purpose, secret: true }),
  };
}

const list = (text: string) => text.split(',').map((entry) => entry.trim());
const isLimit = (text: string) => /^\d{1,7}$/.test(text) && Number(text) >= 1 && Number(text) <= 1_000_000;
/** PostgreSQL's own programs read the URL in the same way. Characters that a password must escape trip people up. */
const isDatabaseUrl = (text: string) =>
  /^postgres(ql)?:\/\/\S+$/.test(text) &&
  splitHosts(text).every((url) => isAccepted(() => connectionConfig({ url })));
const isOrigin = (text: string) => /^https?:\/\//.test(text) && parseUrl(text)?.origin === text;
const isAllowList = (entries: string[]) => isAccepted(() => parseAllowList(entries));

function isAccepted(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}

const whole = (least: number, most: number) => z.coerce.number().int().min(least).max(most);
const flag = (standard: boolean) => takes('`true` or `false`', z.stringbool().default(standard));
const amount = (what: string) => (least: number, most: number, standard: number) =>
  takes(`${what} from ${least} to ${most}`, whole(least, most).default(standard));
const port = amount('a port');
const number = amount('a number');
const megabytes = amount('a number of megabytes');
const seconds = amount('a number of seconds');
const minutes = amount('a number of minutes');
const hours = amount('a number of hours');
const days = amount('a number of days');
const httpUrl = takes('an http:// or https:// URL', z.url({ protocol: /^https?$/ }).optional());
const secretText = takes(
  'at most 200 ASCII characters without spaces, and in `prod` at least 20',
  z
    .string()
    .regex(/^[!-~]{1,200}$/)
    .optional(),
);
const bootstrapKey = (role: string) =>
  secretText.secretFor(
    `Key of the user \`dev-${role}\`, made at start. Without it, \`dev\` makes a random one once per data directory, \`test\` uses \`nexus-dev-${role}-key\`, and \`prod\` has none.`,
  );

export const VARIABLES = {
  NEXUS_ENV: takes('`dev`, `test` or `prod`', z.enum(['dev', 'test', 'prod']).default('dev')).for(
    'In `dev`, four keys are made so that you can start at once (`nexus keys show --bootstrap`). `test` is for automated tests: its keys are well known. Use `prod` for everything else.',
  ),
  NEXUS_HOST: takes('an address or host name', z.string().default('127.0.0.1')).for('Where to listen.'),
  NEXUS_PORT: port(0, 65535, 8080).for('Where to listen; 0 takes a free one.'),
  NEXUS_PUBLIC_URL: takes(
    'an http:// or https:// URL',
    z
      .url({ protocol: /^https?$/ })
      .transform((url) => url.replace(/\/+$/, ''))
      .optional(),
  ).for(
    'Where people reach Nexus: for the links that it prints, and for cookies, which are `Secure` when it is https. Without it, a Nexus that listens on loopback answers only requests to `localhost` or a loopback address.',
  ),
  NEXUS_DATA_DIR: takes('a directory', z.string().optional()).for(
    "Where Nexus keeps its data. Defaults to the platform's place for it: `/var/lib/nexus` for root, `~/.local/share/nexus` on Linux, `~/Library/Application Support/Nexus` on macOS.",
  ),
  NEXUS_DATABASE_URL: takes(
    'a postgres:// URL, in whose password all but letters and digits is percent-encoded',
    z.string().refine(isDatabaseUrl).optional(),
  ).secretFor(
    'A PostgreSQL of your own, 15 or newer. Without it, Nexus runs its embedded PostgreSQL. With several hosts, separated by commas, Nexus uses the one that accepts writes. See [operations.md](operations.md#high-availability).',
  ),
  NEXUS_DATABASE_POOL_SIZE: number(1, 500, 10).for('Database connections per process.'),
  NEXUS_DATABASE_POOLED: flag(false).for(
    'Whether the URL leads to a pooler that lends connections for one transaction at a time, such as PgBouncer in transaction mode. Workers then find work by polling alone.',
  ),
  NEXUS_DATABASE_STATEMENT_TIMEOUT_SECONDS: seconds(1, 3600, 30).for(
    'A statement that runs longer is cancelled.',
  ),
  NEXUS_DATABASE_IDLE_TRANSACTION_TIMEOUT_SECONDS: seconds(1, 3600, 60).for(
    'A transaction that does nothing for longer is ended, so that it cannot hold locks.',
  ),
  NEXUS_BODY_LIMIT_BYTES: number(1024, 100 * 1024 * 1024, 1024 * 1024).for(
    'The largest request body that is read.',
  ),
  NEXUS_SHUTDOWN_GRACE_SECONDS: seconds(0, 600, 25).for(
    'How long requests under way may take to finish when Nexus stops.',
  ),
  NEXUS_LOG_LEVEL: takes(
    '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`',
    z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  ).for('How much is logged.'),
  NEXUS_LOG_FORMAT: takes('`json` or `pretty`', z.enum(['json', 'pretty']).optional()).for(
    'Defaults to `pretty` on a terminal and `json` elsewhere.',
  ),
  NEXUS_RAW_MODE_ENABLED: flag(false).for('Whether RAW mode can be used at all.'),
  NEXUS_ASYNC_JOBS_ENABLED: flag(true).for('Whether jobs can be queued over the API.'),
  NEXUS_SHADOW_EXECUTION_ENABLED: flag(false).for(
    'Whether analyses can run in execution mode `shadow`. See [analysis.md](analysis.md).',
  ),
  NEXUS_BLOCKED_TERMS: takes(
    'terms, separated by commas',
    z
      .string()
      .transform((text) => list(text).filter(Boolean))
      .pipe(z.array(z.string().max(200)).max(1000))
      .default([]),
  ).secretFor(
    'Terms that are redacted in PUBLIC mode, in addition to the policies of admins. See [governance.md](governance.md).',
  ),
  NEXUS_PLUGIN_ML_ENABLED: flag(false).for('Whether texts may be sent to a model for analysis.'),
  NEXUS_PLUGIN_ML_URL: httpUrl.for(
    'An OpenAI-compatible endpoint, with its version: `http://127.0.0.1:11434/v1`. It may be private; nothing but the model client can then reach it.',
  ),
  NEXUS_PLUGIN_ML_MODEL: takes('a name', z.string().max(200).optional()).for(
    'The name of the model at this endpoint.',
  ),
  NEXUS_PLUGIN_ML_API_KEY: takes('a key', z.string().max(1000).optional()).secretFor(
    'Sent to the endpoint as a bearer token.',
  ),
  NEXUS_PLUGIN_ML_TIMEOUT_SECONDS: seconds(1, 600, 60).for(
    'How long the model may take for one layer of a text.',
  ),
  NEXUS_WORKER_CONCURRENCY: number(1, 1000, 10).for('How many jobs a worker runs at once.'),
  NEXUS_WORKER_LEASE_SECONDS: seconds(1, 3600, 30).for(
    'A worker that has not renewed its lease for this long counts as dead, and other workers run its jobs.',
  ),
  NEXUS_WORKER_POLL_SECONDS: takes(
    'a number of seconds from 0.1 to 3600',
    z.coerce.number().min(0.1).max(3600).default(2),
  ).for('How often a worker polls for work, in addition to notifications.'),
  NEXUS_WORKER_GRACE_SECONDS: seconds(0, 3600, 25).for(
    'How long running jobs may take to finish when a worker stops.',
  ),
  NEXUS_METRICS_PORT: takes('a port from 0 to 65535', whole(0, 65535).optional()).for(
    'Where `nexus worker` answers `/healthz`, `/readyz`, `/metrics` and `/metrics/prometheus`, on `NEXUS_HOST`; 0 takes a free one. Without it, a worker does not listen. See [metrics.md](metrics.md).',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.for(
    'An OpenTelemetry collector that `nexus serve` and `nexus worker` send traces to. Without it, they make none. See [traces.md](traces.md).',
  ),
  NEXUS_JOB_RETENTION_DAYS: days(1, 3650, 30).for(
    'How long jobs that are over are kept, with their attempts and artifacts.',
  ),
  NEXUS_OUTBOX_SWEEP_INTERVAL_MINUTES: minutes(1, 1440, 5).for(
    'How often a job looks for due events whose notification was lost.',
  ),
  NEXUS_OUTBOX_RETENTION_HOURS: hours(1, 8760, 168).for(
    'How long events are kept that were delivered or have failed, and the log of deliveries to webhooks.',
  ),
  NEXUS_AUDIT_RETENTION_DAYS: days(1, 36_500, 365).for('How long entries of the audit log are kept.'),
  NEXUS_DEFAULT_ROLE: takes(
    '`viewer`, `operator`, `researcher` or `admin`',
    z.enum(ROLES).default('viewer'),
  ).for('The role of a new person when nobody chooses one.'),
  NEXUS_REQUESTS_PER_MINUTE: takes(
    'four numbers from 1 to 1000000, for viewer, operator, researcher and admin, separated by commas',
    z
      .string()
      .default('3000,6000,6000,12000')
      .refine((text) => list(text).length === 4 && list(text).every((entry) => isLimit(entry))),
  ).for(
    'How many requests a key may make, by its role, unless it has a limit of its own. See [rate-limits.md](rate-limits.md).',
  ),
  NEXUS_INTERNAL_SECRET: secretText.secretFor(
    'Opens the routes under `/internal` to callers that send it as `X-Nexus-Internal`.',
  ),
  NEXUS_TOKEN_SECRET: secretText.secretFor(
    'Signs access tokens. Without it, a secret is made once and kept in the database.',
  ),
  NEXUS_TRUSTED_PROXIES: takes(
    'addresses or networks, separated by commas',
    z
      .string()
      .regex(/^[0-9a-fA-F.:/]+(\s*,\s*[0-9a-fA-F.:/]+)*$/)
      .transform(list)
      .default([]),
  ).for('Reverse proxies whose `X-Forwarded-For` is believed, so that the audit log shows the caller.'),
  NEXUS_CORS_ORIGINS: takes(
    'origins such as https://notes.example, separated by commas',
    z
      .string()
      .transform(list)
      .refine((origins) => origins.every(isOrigin))
      .default([]),
  ).for(
    'Origins whose pages may use the API from a browser, with a key or a token, never with the session cookie. Browser extensions are always allowed.',
  ),
  NEXUS_EGRESS_ALLOW: takes(
    'host:port or networks such as 10.0.0.0/8, separated by commas',
    z.string().transform(list).refine(isAllowList).default([]),
  ).for(
    'Private addresses that Nexus may fetch from and send webhooks to, such as an intranet. Everybody who can save a link can then make Nexus fetch from them. See [egress.md](egress.md).',
  ),
  NEXUS_STORAGE: takes('`local` or `s3`', z.enum(['local', 's3']).default('local')).for(
    'Where files are kept: below `NEXUS_DATA_DIR`, or in an S3-compatible store. See [storage.md](storage.md).',
  ),
  NEXUS_S3_ENDPOINT: httpUrl.for('The address of the store. Defaults to Amazon S3.'),
  NEXUS_S3_BUCKET: takes('a bucket', z.string().optional()).for(
    'Required with `NEXUS_STORAGE=s3`. It must exist.',
  ),
  NEXUS_S3_REGION: takes('a region', z.string().default('us-east-1')).for('The region of the bucket.'),
  NEXUS_S3_ACCESS_KEY_ID: takes('an access key', z.string().optional()).for(
    "Without it, the machine's own credentials are used, as Amazon's tools find them.",
  ),
  NEXUS_S3_SECRET_ACCESS_KEY: takes('a secret key', z.string().optional()).secretFor(
    'Goes with the access key.',
  ),
  NEXUS_S3_PATH_STYLE: flag(true).for(
    "Whether the bucket is in the path of the URL, as most stores other than Amazon's require, or in the host name.",
  ),
  NEXUS_S3_DIRECT_UPLOADS: flag(false).for(
    'Whether browsers upload to the store directly. They must be able to reach it, and it must allow it (CORS).',
  ),
  NEXUS_STORAGE_QUOTA_MB: megabytes(0, 100_000_000, 10_240).for(
    'How much each person may store, unless an admin gave them a quota of their own; 0 means no limit. See [storage.md](storage.md).',
  ),
  NEXUS_PURGE_AFTER_DAYS: days(0, 3650, 30).for(
    'How long removed items stay in the trash, and how long items that nobody holds any more are kept.',
  ),
  NEXUS_BACKUP_DIR: takes('a directory', z.string().optional()).for(
    'Where scheduled backups are written. Use another disk than that of the data. Without it, there are none. See [backup.md](backup.md).',
  ),
  NEXUS_BACKUP_EVERY_HOURS: hours(1, 8760, 24).for('How often a backup is made.'),
  NEXUS_BACKUP_KEEP: number(1, 10_000, 7).for(
    'How many scheduled backups are kept. Older ones are deleted once a new one is verified.',
  ),
  NEXUS_NEO4J_URL: takes(
    'a URL such as neo4j://host:7687 or bolt://host:7687',
    z
      .string()
      .regex(/^(neo4j|bolt)(\+s|\+ssc)?:\/\/\S+$/)
      .optional(),
  ).for('A Neo4j that the document graph is copied to. See [graph.md](graph.md).'),
  NEXUS_NEO4J_USERNAME: takes('a name', z.string().default('neo4j')).for('The username for Neo4j.'),
  NEXUS_NEO4J_PASSWORD: takes('a password', z.string().optional()).secretFor('The password of this user.'),
  NEXUS_BOOTSTRAP_VIEWER_KEY: bootstrapKey('viewer'),
  NEXUS_BOOTSTRAP_OPERATOR_KEY: bootstrapKey('operator'),
  NEXUS_BOOTSTRAP_RESEARCHER_KEY: bootstrapKey('researcher'),
  NEXUS_BOOTSTRAP_ADMIN_KEY: bootstrapKey('admin'),
} satisfies Record<string, Variable>;

export type VariableName = keyof typeof VARIABLES;
export type Values = { [Name in VariableName]: z.output<(typeof VARIABLES)[Name]['reads']> };
