import { createBranches } from '../features/branches/branches.ts';
import { createBranchCheck } from '../features/branches/integrity.ts';
import { defineBranchReplay } from '../features/branches/replay-job.ts';
import { registerBranchRoutes } from '../features/branches/routes.ts';
import { createFeed } from '../features/events/feed.ts';
import { registerEventRoutes } from '../features/events/routes.ts';
import { createEventStreams } from '../features/events/streams.ts';
import { createGraph } from '../features/graph/graph.ts';
import { createGraphCheck } from '../features/graph/integrity.ts';
import { createNeo4jMirror } from '../features/graph/neo4j.ts';
import { createProjectionJob } from '../features/graph/projection-job.ts';
import { registerGraphRoutes } from '../features/graph/routes.ts';
import { createApiKeys } from '../features/identity/api-keys.ts';
import { createAuthentication } from '../features/identity/authentication.ts';
import { registerIdentityRoutes } from '../features/identity/routes.ts';
import { createUsers } from '../features/identity/users.ts';
import { createBackfill } from '../features/libraries/backfill.ts';
import {
  defineBackfillJob,
  periodicBackfillSweep,
  sendThrough,
} from '../features/libraries/backfill-jobs.ts';
import { createClosureCheck } from '../features/libraries/closure-audit.ts';
import { createDefaultLibrary } from '../features/libraries/default-library.ts';
import { createLibraryMedia } from '../features/libraries/library-media.ts';
import { createRequester } from '../features/libraries/requester.ts';
import { registerLibrariesRoutes } from '../features/libraries/routes.ts';
import { createLibraryServices } from '../features/libraries/service.ts';
import { createRegistry } from '../features/media/extract.ts';
import { createFiles } from '../features/media/files.ts';
import { createImages } from '../features/media/images.ts';
import { createIngest, type Ingest } from '../features/media/ingest.ts';
import { defineIngestBatch } from '../features/media/ingest-batch.ts';
import { createFileCheck, createSearchCheck, createTextCheck } from '../features/media/integrity.ts';
import { createMedia } from '../features/media/media.ts';
import { periodicOrphanSweep } from '../features/media/orphaned-files.ts';
import { registerMediaRoutes } from '../features/media/routes.ts';
import { registerUploadRoutes } from '../features/media/upload-routes.ts';
import { createUploads } from '../features/media/uploads.ts';
import { createIntegrityFindings, defineIntegrityAudit } from '../features/operations/integrity-audit.ts';
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
import type { Migration } from '../platform/database/migrator.ts';
import { createJobEngine, type JobEngine, type JobEngineOptions } from '../platform/jobs/engine.ts';
import { createHints, type Hints } from '../platform/outbox/hints.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import { createMetrics, type Metrics } from '../platform/telemetry/metrics.ts';
import type { Config } from './config.ts';
import { createDelivery } from './delivery.ts';
import type { Outside } from './outside.ts';

export type Services = ReturnType<typeof createServices>;

export interface EngineDependencies extends Pick<JobEngineOptions, 'sql' | 'log' | 'listenAt'> {
  config: Pick<Config, 'jobs' | 'env' | 'outbox' | 'neo4j'>;
  outside: Outside;
}

export interface Engine extends JobEngine {
  /** What tells this process that there is something to deliver. */
  hints: Hints;
}

/** The job engine with every job type of Nexus. Whoever works delivers events, too. */
export function createEngine({ sql, log, listenAt, config, outside }: EngineDependencies): Engine {
  const hints = createHints({ log, listenAt });
  const graph = createGraph({ sql, projector: outside.projector });
  const projection = createProjectionJob({ sql, graph, engine: () => engine });
  const mirror = config.neo4j && createNeo4jMirror({ sql, graph, options: config.neo4j });
  const subscribers = [projection.subscriber, ...(mirror ? [mirror.subscriber] : [])];
  const delivery = createDelivery({ sql, log, hints, egress: outside.egress, config, subscribers });
  const backfill = createBackfill({ sql, log, send: sendThrough(sql, () => engine) });
  const ingest = ingestThrough(() => engine, sql, log, outside, config);
  const requester = createRequester(createUsers({ sql, createDefaultLibrary }));
  const engine = createJobEngine({
    sql,
    log,
    listenAt,
    ...config.jobs,
    types: [
      defineIntegrityAudit(sql, [
        createClosureCheck(sql),
        createFileCheck(sql, outside.storage),
        createTextCheck(sql, outside.extractors),
        createSearchCheck(sql),
        createGraphCheck({ sql, graph, projector: outside.projector }),
        createBranchCheck(sql),
      ]),
      defineIngestBatch({ sql, requester, ingest, libraryMedia: createLibraryMedia({ sql }) }),
      defineBranchReplay({ sql, requester }),
      defineBackfillJob(backfill),
      projection.type,
      ...ingest.types,
    ],
    periodic: [
      periodicBackfillSweep(backfill),
      ingest.periodic,
      periodicOrphanSweep({ sql, storage: outside.storage }),
      ...delivery.periodic,
    ],
    onJobsEnded: tellJobsEnded,
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
      await mirror?.close();
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
  config: Pick<Config, 'env' | 'rawModeEnabled' | 'acceptsDevelopmentKeys' | 'asyncJobsEnabled'>,
  log: Logger,
  outside: Outside,
) {
  const { storage, egress } = outside;
  const ingest = ingestThrough(() => engine, sql, log, outside, config);
  const { rawModeEnabled, acceptsDevelopmentKeys, asyncJobsEnabled } = config;
  const authentication = createAuthentication({ sql, rawModeEnabled, acceptsDevelopmentKeys });
  const users = createUsers({ sql, createDefaultLibrary });
  const backfill = createBackfill({ sql, log, send: sendThrough(sql, () => engine) });
  const webhooks = createWebhooks({ sql, egress });
  return {
    users,
    webhooks,
    apiKeys: createApiKeys({ sql }),
    authentication,
    operations: createOperations({ sql }),
    outbox: createOutboxOperations({ sql, measureWebhooks: webhooks.measure }),
    events: createFeed({ sql }),
    eventStreams: createEventStreams({ sql, log, hints: engine.hints }),
    ...createLibraryServices({ sql, users, backfill }),
    media: createMedia({ sql, ingest }),
    uploads: createUploads({ sql, storage, ingest }),
    files: createFiles({ sql, storage }),
    images: createImages({ sql, storage, egress }),
    graph: createGraph({ sql, projector: outside.projector }),
    branches: createBranches({ sql, requireMode: authentication.requireMode }),
    integrityFindings: createIntegrityFindings({ sql }),
    jobs: createJobs({ sql, engine, asyncJobsEnabled, requireMode: authentication.requireMode }),
  };
}

export interface AppDependencies {
  config: Config;
  sql: Database;
  migrations: Migration[];
  services: Services;
  log: Logger;
}

/** The whole HTTP application, not yet listening. */
export async function buildApp({ config, sql, migrations, services, log }: AppDependencies): Promise<Shell> {
  const metrics = createMetrics();
  measureBacklogs(metrics, services);
  const shell = await createHttpServer({
    log,
    metrics,
    authentication: services.authentication,
    internal: { secret: config.internalSecret, openToLoopback: config.env !== 'prod' },
    bodyLimitBytes: config.bodyLimitBytes,
    trustedProxies: config.trustedProxies,
    routes(server, registered) {
      registerHealthRoutes(server, { sql, migrations, metrics });
      registerIdentityRoutes(server, { ...services, registered });
      registerLibrariesRoutes(server, services);
      registerMediaRoutes(server, services);
      registerUploadRoutes(server, services.uploads);
      registerGraphRoutes(server, services.graph);
      registerBranchRoutes(server, services.branches);
      registerOperationsRoutes(server, services.operations);
      registerJobRoutes(server, services);
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
