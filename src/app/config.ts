import { accessSync, constants, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseEnv } from 'node:util';
import type { Role } from '../contract/roles.ts';
import type { ScheduledBackups } from '../features/backup/scheduled-backups.ts';
import type { Neo4jOptions } from '../features/graph/neo4j.ts';
import type { BootstrapKey } from '../features/identity/bootstrap.ts';
import { BOOTSTRAP_ROLES, isWellKnownKey, wellKnownKey } from '../features/identity/well-known-keys.ts';
import { isLoopbackHost } from '../platform/ip-address.ts';
import type { StorageOptions } from '../platform/storage/storage.ts';
import { VARIABLES, type Values, type VariableName } from './variables.ts';

export type Config = ReturnType<typeof parseConfig>;

/** The minimum length in production. Elsewhere, short secrets are convenient. */
const SHORTEST_SECRET = 20;

type Environment = Record<string, string | undefined>;

/**
 * Reads the `.env` file of the working directory; variables of the process take precedence. A directory that this account may
 * not enter, such as the home of the account that started the command, has none.
 */
export function readEnvironment(directory = process.cwd(), env: Environment = process.env): Environment {
  let file = '';
  try {
    file = readFileSync(path.join(directory, '.env'), 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && !(code === 'EACCES' && !mayEnter(directory))) throw error;
  }
  return { ...parseEnv(file), ...env };
}

function mayEnter(directory: string): boolean {
  try {
    accessSync(directory, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Turns the environment into the configuration, or throws one error that names every variable that is wrong. */
export function parseConfig(env: Environment) {
  const values = readVariables(env);
  const dataDir = path.resolve(values.NEXUS_DATA_DIR ?? defaultDataDir(env));
  const config = {
    env: values.NEXUS_ENV,
    host: values.NEXUS_HOST,
    port: values.NEXUS_PORT,
    publicUrl: values.NEXUS_PUBLIC_URL,
    /** Whether Nexus is for this machine only: it listens on loopback, and there is no public URL. */
    isLocal: isLoopbackHost(values.NEXUS_HOST) && values.NEXUS_PUBLIC_URL === undefined,
    dataDir,
    databaseUrl: values.NEXUS_DATABASE_URL,
    database: {
      poolSize: values.NEXUS_DATABASE_POOL_SIZE,
      isPooled: values.NEXUS_DATABASE_POOLED,
      statementTimeoutSeconds: values.NEXUS_DATABASE_STATEMENT_TIMEOUT_SECONDS,
      idleTransactionTimeoutSeconds: values.NEXUS_DATABASE_IDLE_TRANSACTION_TIMEOUT_SECONDS,
    },
    bodyLimitBytes: values.NEXUS_BODY_LIMIT_BYTES,
    shutdownGraceSeconds: values.NEXUS_SHUTDOWN_GRACE_SECONDS,
    log: {
      level: values.NEXUS_LOG_LEVEL,
      format: values.NEXUS_LOG_FORMAT ?? (process.stdout.isTTY ? ('pretty' as const) : ('json' as const)),
    },
    rawModeEnabled: values.NEXUS_RAW_MODE_ENABLED,
    asyncJobsEnabled: values.NEXUS_ASYNC_JOBS_ENABLED,
    shadowExecutionEnabled: values.NEXUS_SHADOW_EXECUTION_ENABLED,
    blockedTerms: values.NEXUS_BLOCKED_TERMS,
    ml: mlOptions(values),
    worker: {
      concurrency: values.NEXUS_WORKER_CONCURRENCY,
      pollSeconds: values.NEXUS_WORKER_POLL_SECONDS,
      graceSeconds: values.NEXUS_WORKER_GRACE_SECONDS,
    },
    /** The port at which a worker serves its health and metrics; undefined when it does not listen. */
    metricsPort: values.NEXUS_METRICS_PORT,
    /** The variables of OpenTelemetry, as they are. */
    openTelemetry: openTelemetryVariables(env),
    jobs: {
      leaseSeconds: values.NEXUS_WORKER_LEASE_SECONDS,
      retentionDays: values.NEXUS_JOB_RETENTION_DAYS,
    },
    outbox: {
      sweepMinutes: values.NEXUS_OUTBOX_SWEEP_INTERVAL_MINUTES,
      retentionHours: values.NEXUS_OUTBOX_RETENTION_HOURS,
    },
    audit: { retentionDays: values.NEXUS_AUDIT_RETENTION_DAYS },
    /** The quota of users who have none of their own; 0 means no limit. */
    storageQuotaMb: values.NEXUS_STORAGE_QUOTA_MB,
    /** How long media in the trash, and media that nobody holds any more, are kept. */
    purgeAfterDays: values.NEXUS_PURGE_AFTER_DAYS,
    requestsPerMinute: requestsPerMinute(values),
    internalSecret: values.NEXUS_INTERNAL_SECRET,
    tokenSecret: values.NEXUS_TOKEN_SECRET,
    trustedProxies: values.NEXUS_TRUSTED_PROXIES,
    corsOrigins: values.NEXUS_CORS_ORIGINS,
    egressAllow: values.NEXUS_EGRESS_ALLOW,
    storage: storageOptions(values, dataDir),
    neo4j: neo4jOptions(values),
    /** Scheduled backups; undefined when there are none. */
    backups: backupOptions(values),
    /** The keys that variables set, and in `test` the well-known ones. `app/bootstrap-keys.ts` adds those of `dev`. */
    bootstrapKeys: bootstrapKeys(values),
    /** Whether the well-known keys are accepted. */
    acceptsWellKnownKeys: values.NEXUS_ENV === 'test',
    defaultRole: values.NEXUS_DEFAULT_ROLE,
    /** Variables that start with NEXUS_ and do not exist: usually a typo. */
    unknownVariables: Object.keys(env).filter((name) => name.startsWith('NEXUS_') && !(name in VARIABLES)),
  };
  refuseUnsafe(config);
  return config;
}

/** Lists every variable with the value in force. Secrets are hidden. */
export function describeConfig(env: Environment): { name: string; value: string; isSet: boolean }[] {
  const values = readVariables(env);
  return (Object.keys(VARIABLES) as VariableName[]).map((name) => {
    const isSet = Boolean(env[name]);
    const value = name === 'NEXUS_DATA_DIR' ? (values[name] ?? defaultDataDir(env)) : values[name];
    return { name, isSet, value: 'secret' in VARIABLES[name] && isSet ? '(hidden)' : String(value ?? '') };
  });
}

function readVariables(env: Environment): Values {
  const problems: string[] = [];
  const entries = Object.entries(VARIABLES).map(([name, variable]) => {
    const given = env[name] || undefined;
    const parsed = variable.reads.safeParse(given);
    if (parsed.success) return [name, parsed.data];
    const shown = 'secret' in variable ? '' : ` "${given}"`;
    problems.push(`${name} takes ${variable.takes.replaceAll('`', '')}, not what it is set to${shown}.`);
    return [name, undefined];
  });
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return Object.fromEntries(entries) as Values;
}

function openTelemetryVariables(env: Environment): Record<string, string> {
  const given = Object.entries(env).filter(([name, value]) => name.startsWith('OTEL_') && value);
  return Object.fromEntries(given) as Record<string, string>;
}

/** The model that texts may be sent to. */
function mlOptions(values: Values) {
  if (!values.NEXUS_PLUGIN_ML_ENABLED) return undefined;
  const { NEXUS_PLUGIN_ML_URL: url, NEXUS_PLUGIN_ML_MODEL: model, NEXUS_PLUGIN_ML_API_KEY: apiKey } = values;
  if (!url || !model) {
    throw new Error(
      'NEXUS_PLUGIN_ML_ENABLED is true; NEXUS_PLUGIN_ML_URL and NEXUS_PLUGIN_ML_MODEL must say which model, and where.',
    );
  }
  return { url, model, apiKey, timeoutMs: values.NEXUS_PLUGIN_ML_TIMEOUT_SECONDS * 1000 };
}

/** The Neo4j server that the document graph is copied to. */
function neo4jOptions(values: Values): Neo4jOptions | undefined {
  const { NEXUS_NEO4J_URL: url, NEXUS_NEO4J_USERNAME: username, NEXUS_NEO4J_PASSWORD: password } = values;
  return url ? { url, username, password: password ?? '' } : undefined;
}

function backupOptions(values: Values): ScheduledBackups | undefined {
  const { NEXUS_BACKUP_DIR: directory } = values;
  if (directory === undefined) return undefined;
  return {
    directory: path.resolve(directory),
    everyHours: values.NEXUS_BACKUP_EVERY_HOURS,
    keep: values.NEXUS_BACKUP_KEEP,
  };
}

function storageOptions(values: Values, dataDir: string): StorageOptions {
  if (values.NEXUS_STORAGE === 'local') return { kind: 'local', directory: path.join(dataDir, 'files') };
  const { NEXUS_S3_ACCESS_KEY_ID: accessKeyId, NEXUS_S3_SECRET_ACCESS_KEY: secretAccessKey } = values;
  if (!values.NEXUS_S3_BUCKET)
    throw new Error('NEXUS_STORAGE is s3, and NEXUS_S3_BUCKET does not say which bucket.');
  if (Boolean(accessKeyId) !== Boolean(secretAccessKey)) {
    throw new Error(
      'NEXUS_S3_ACCESS_KEY_ID and NEXUS_S3_SECRET_ACCESS_KEY go together: set both, or neither.',
    );
  }
  return {
    kind: 's3',
    endpoint: values.NEXUS_S3_ENDPOINT,
    bucket: values.NEXUS_S3_BUCKET,
    region: values.NEXUS_S3_REGION,
    credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined,
    isPathStyle: values.NEXUS_S3_PATH_STYLE,
    hasDirectUploads: values.NEXUS_S3_DIRECT_UPLOADS,
  };
}

function requestsPerMinute({ NEXUS_REQUESTS_PER_MINUTE: limits }: Values): Record<Role, number> {
  const [viewer = 1, operator = 1, researcher = 1, admin = 1] = limits.split(',').map(Number);
  return { viewer, operator, researcher, admin };
}

function bootstrapKeys(values: Values): BootstrapKey[] {
  return BOOTSTRAP_ROLES.flatMap((role) => {
    const given = values[variableOf(role)];
    const key = given ?? (values.NEXUS_ENV === 'test' ? wellKnownKey(role) : undefined);
    return key ? [{ role, key, isConfigured: given !== undefined, keepsOthers: false }] : [];
  });
}

function refuseUnsafe({ env, host, internalSecret, tokenSecret, bootstrapKeys }: Config): void {
  const secrets = new Map([
    ['NEXUS_INTERNAL_SECRET', internalSecret],
    ['NEXUS_TOKEN_SECRET', tokenSecret],
    ...bootstrapKeys.map(({ role, key }) => [variableOf(role), key] as const),
  ]);
  const keys = bootstrapKeys.map(({ key }) => key);
  const shared = bootstrapKeys.find(({ key }, index) => keys.indexOf(key) < index);
  if (shared) {
    throw new Error(`${variableOf(shared.role)} is also the key of another role. Each needs its own.`);
  }
  const known = bootstrapKeys.find(({ key }) => isWellKnownKey(key));
  if (known && env !== 'test') {
    throw new Error(
      `${variableOf(known.role)} is a key that everybody knows, and NEXUS_ENV is ${env}. ` +
        'Set a key of your own, or unset it.',
    );
  }
  for (const [name, value] of env === 'prod' ? secrets : []) {
    if (value === undefined || value.length >= SHORTEST_SECRET) continue;
    throw new Error(
      `${name} has fewer than ${SHORTEST_SECRET} characters, too few for prod. Try: openssl rand -hex 24`,
    );
  }
  if (known && !isLoopbackHost(host)) {
    throw new Error(
      `NEXUS_HOST is ${host}, which others can reach, while NEXUS_ENV=test uses keys that everybody knows. ` +
        'Set NEXUS_ENV to dev or prod, or listen on 127.0.0.1.',
    );
  }
}

const variableOf = <R extends Role>(role: R) =>
  `NEXUS_BOOTSTRAP_${role.toUpperCase() as Uppercase<R>}_KEY` as const;

function defaultDataDir(env: Environment): string {
  const isRoot = process.getuid?.() === 0;
  if (process.platform === 'darwin') {
    return path.join(isRoot ? '/' : os.homedir(), 'Library', 'Application Support', 'Nexus');
  }
  if (isRoot) return '/var/lib/nexus';
  return path.join(env.XDG_DATA_HOME || path.join(os.homedir(), '.local', 'share'), 'nexus');
}
