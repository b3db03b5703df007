import { fileURLToPath } from 'node:url';
import { createFeed } from '../features/events/feed.ts';
import { registerEventRoutes } from '../features/events/routes.ts';
import { createEventStreams } from '../features/events/streams.ts';
import { createAccessTokens } from '../features/identity/access-token.ts';
import { createApiKeys } from '../features/identity/api-keys.ts';
import { createAuthentication } from '../features/identity/authentication.ts';
import { createProfile } from '../features/identity/profile.ts';
import { registerIdentityRoutes } from '../features/identity/routes.ts';
import { periodicSessionCleanup } from '../features/identity/session-cleanup.ts';
import { registerSessionRoutes } from '../features/identity/session-routes.ts';
import { createSessions } from '../features/identity/sessions.ts';
import { createSignInLinks } from '../features/identity/sign-in-links.ts';
import { registerTokenRoutes } from '../features/identity/token-routes.ts';
import { createTokens } from '../features/identity/tokens.ts';
import { createUsers } from '../features/identity/users.ts';
import { createBackfill } from '../features/libraries/backfill.ts';
import {
  defineBackfillJob,
  periodicBackfillSweep,
  sendThrough,
} from '../features/libraries/backfill-jobs.ts';
import { createDefaultLibrary } from '../features/libraries/default-library.ts';
import { registerLibrariesRoutes } from '../features/libraries/routes.ts';
import { createLibraryServices } from '../features/libraries/service.ts';
import { createRegistry } from '../features/media/extract.ts';
import { createFiles } from '../features/media/files.ts';
import { createImages } from '../features/media/images.ts';
import { createIngest, type Ingest } from '../features/media/ingest.ts';
import { createMediaLists } from '../features/media/list.ts';
import { registerListRoutes } from '../features/media/list-routes.ts';
import { createMedia } from '../features/media/media.ts';
import { periodicOrphanSweep } from '../features/media/orphaned-files.ts';
import { createReadings } from '../features/media/reading.ts';
import { registerMediaRoutes } from '../features/media/routes.ts';
import { createSearch } from '../features/media/search.ts';
import { registerSearchRoutes } from '../features/media/search-routes.ts';
import { registerUploadRoutes } from '../features/media/upload-routes.ts';
import { createUploads } from '../features/media/uploads.ts';
import { defineIntegrityAudit } from '../features/operations/integrity-audit.ts';
import { tellJobsEnded } from '../features/operations/job-events.ts';
import { registerJobRoutes } from '../features/operations/job-routes.ts';
import { createJobs } from '../features/operations/jobs.ts';
import { createOutboxOperations } from '../features/operations/outbox.ts';
import { registerOutboxRoutes } from '../features/operations/outbox-routes.ts';
import { registerOperationsRoutes } from '../features/operations/routes.ts';
import { createOperations } from '../features/operations/service.ts';
import { registerWebhookRoutes } from '../features/webhooks/routes.ts';
import { createWebhooks } from '../features/webhooks/webhooks.ts';
import { registerHealthRoutes } from '../http/health-routes.ts';
import { createHttpServer, type Shell } from '../http/server.ts';
import type { Database } from '../platform/database/database.ts';
import { installationSecret } from '../platform/database/installation-secret.ts';
import type { Migration } from '../platform/database/migrator.ts';
import { createJobEngine, type JobEngine, type JobEngineOptions } from '../platform/jobs/engine.ts';
import { createHints, type Hints } from '../platform/outbox/hints.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import { createMetrics, type Metrics } from '../platform/telemetry/metrics.ts';
import { createPrometheus, type Prometheus } from '../platform/telemetry/prometheus.ts';
import type { Config } from './config.ts';
import { createDelivery } from './delivery.ts';
import { measureInstallation } from './measurements.ts';
import type { Outside } from './outside.ts';

export type Services = ReturnType<typeof createServices>;

export interface EngineDependencies extends Pick<JobEngineOptions, 'sql' | 'log' | 'listenAt'> {
  config: Pick<Config, 'jobs' | 'env' | 'outbox'>;
  outside: Outside;
  prometheus?: Prometheus | undefined;
}

export interface Engine extends JobEngine {
  /** What tells this process that there is something to deliver. */
  hints: Hints;
}

/** The job engine with every job type of Nexus. Whoever works delivers events, too. */
export function createEngine({
  sql,
  log,
  listenAt,
  config,
  outside,
  prometheus,
}: EngineDependencies): Engine {
  const hints = createHints({ log, listenAt });
  const delivery = createDelivery({ sql, log, hints, egress: outside.egress, config });
  const backfill = createBackfill({ sql, log, send: sendThrough(sql, () => engine) });
  const ingest = ingestThrough(() => engine, sql, log, outside, config);
  const engine = createJobEngine({
    sql,
    log,
    listenAt,
    ...config.jobs,
    types: [defineIntegrityAudit(sql), defineBackfillJob(backfill), ...ingest.types],
    periodic: [
      periodicSessionCleanup(sql),
      periodicBackfillSweep(backfill),
      ingest.periodic,
      periodicOrphanSweep({ sql, storage: outside.storage }),
      ...delivery.periodic,
    ],
    onJobsEnded: tellJobsEnded,
    observe: prometheus?.observeAttempt,
  });
  return {
    ...engine,
    hints,
    async work(options) {
      const worker = await engine.work(options);
      // One that stops by itself does the jobs it was started for, and nothing else.
      if (options.maxJobs !== undefined || options.untilEmpty) return worker;
      const delivering = delivery.start(options);
      return {
        ...worker,
        async stop() {
          await Promise.all([worker.stop(), delivering.stop(options.graceSeconds)]);
        },
      };
    },
    async close() {
      await engine.close();
      await hints.close();
    },
  };
}

function ingestThrough(
  engine: () => JobEngine,
  sql: Database,
  log: Logger,
  { storage, extractors }: Outside,
  { env }: Pick<Config, 'env'>,
): Ingest {
  const registry = createRegistry(extractors, storage);
  return createIngest({ sql, log, storage, engine, extractors: registry, isTest: env === 'test' });
}

/** Every service, wired to the others. */
export function createServices(
  sql: Database,
  engine: Engine,
  config: Pick<
    Config,
    | 'env'
    | 'rawModeEnabled'
    | 'acceptsDevelopmentKeys'
    | 'asyncJobsEnabled'
    | 'tokenSecret'
    | 'requestsPerMinute'
  >,
  log: Logger,
  outside: Outside,
) {
  const { storage, egress } = outside;
  const ingest = ingestThrough(() => engine, sql, log, outside, config);
  const { rawModeEnabled, acceptsDevelopmentKeys, asyncJobsEnabled } = config;
  const accessTokens = createAccessTokens(tokenSecret(sql, config));
  const authentication = createAuthentication({
    sql,
    rawModeEnabled,
    acceptsDevelopmentKeys,
    readAccessToken: accessTokens.read,
    requestsPerMinute: config.requestsPerMinute,
  });
  const users = createUsers({ sql, createDefaultLibrary });
  const sessions = createSessions({ sql, authentication });
  const backfill = createBackfill({ sql, log, send: sendThrough(sql, () => engine) });
  const webhooks = createWebhooks({ sql, egress });
  return {
    users,
    sessions,
    tokens: createTokens({ sql, accessTokens, authentication, sessions }),
    profile: createProfile({ sql, users }),
    signInLinks: createSignInLinks({ sql, users }),
    webhooks,
    apiKeys: createApiKeys({ sql }),
    authentication,
    operations: createOperations({ sql }),
    outbox: createOutboxOperations({ sql, measureWebhooks: webhooks.measure }),
    events: createFeed({ sql }),
    eventStreams: createEventStreams({ sql, log, hints: engine.hints }),
    ...createLibraryServices({ sql, users, backfill }),
    media: createMedia({ sql, ingest }),
    mediaLists: createMediaLists({ sql }),
    readings: createReadings({ sql }),
    search: createSearch({ sql }),
    uploads: createUploads({ sql, storage, ingest }),
    files: createFiles({ sql, storage }),
    images: createImages({ sql, storage, egress }),
    jobs: createJobs({ sql, engine, asyncJobsEnabled, requireMode: authentication.requireMode }),
  };
}

function tokenSecret(sql: Database, config: Pick<Config, 'tokenSecret'>): () => Promise<Uint8Array> {
  if (config.tokenSecret === undefined) return installationSecret(sql, 'tokens');
  const given = new TextEncoder().encode(config.tokenSecret);
  return async () => given;
}

export interface AppDependencies {
  config: Config;
  sql: Database;
  migrations: Migration[];
  services: Services;
  log: Logger;
  prometheus?: Prometheus;
  /** Where the web app was built to. */
  webDirectory?: string;
}

const WEB_DIRECTORY = fileURLToPath(new URL('../web', import.meta.url));

/** The whole HTTP application, not yet listening. */
export async function buildApp({
  config,
  sql,
  migrations,
  services,
  log,
  prometheus = createPrometheus(),
  webDirectory = WEB_DIRECTORY,
}: AppDependencies): Promise<Shell> {
  const metrics = createMetrics();
  measureBacklogs(metrics, services);
  measureInstallation(prometheus, sql, services);
  const shell = await createHttpServer({
    log,
    metrics,
    authentication: services.authentication,
    internal: { secret: config.internalSecret, openToLoopback: config.env !== 'prod' },
    bodyLimitBytes: config.bodyLimitBytes,
    trustedProxies: config.trustedProxies,
    webDirectory,
    onAnswered: prometheus.observeRequest,
    routes(server, registered) {
      server.addHook('onClose', async () => prometheus.close());
      registerHealthRoutes(server, { sql, migrations, metrics, prometheus });
      registerIdentityRoutes(server, { ...services, registered });
      registerSessionRoutes(server, services);
      registerTokenRoutes(server, services.tokens);
      registerLibrariesRoutes(server, services);
      registerListRoutes(server, services);
      registerSearchRoutes(server, services.search);
      registerMediaRoutes(server, services);
      registerUploadRoutes(server, services.uploads);
      registerOperationsRoutes(server, services.operations);
      registerJobRoutes(server, services.jobs);
      registerOutboxRoutes(server, services.outbox);
      registerEventRoutes(server, services);
      registerWebhookRoutes(server, services.webhooks);
    },
  });
  shell.drain.onStart(services.eventStreams.close);
  return shell;
}

function measureBacklogs(metrics: Metrics, { backfill, outbox, eventStreams }: Services): void {
  const named = (prefix: string, values: object) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}.${name}`, Number(value)]));
  metrics.gauge(async () => named('backfill', await backfill.health()));
  metrics.gauge(async () => named('outbox', await outbox.health()));
  metrics.gauge(async () => ({ 'events.open_streams': eventStreams.count() }));
}
