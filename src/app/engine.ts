import { defineAnalysisJobs } from '../features/analysis/jobs.ts';
import { createPerform } from '../features/analysis/perform.ts';
import { createPlugins } from '../features/analysis/plugins/plugins.ts';
import { createPluginRegistry } from '../features/analysis/plugins/registry.ts';
import { createBranchCheck } from '../features/branches/integrity.ts';
import { defineBranchReplay } from '../features/branches/replay-job.ts';
import { createGraph } from '../features/graph/graph.ts';
import { createGraphCheck } from '../features/graph/integrity.ts';
import { createNeo4jMirror } from '../features/graph/neo4j.ts';
import { createProjectionJob } from '../features/graph/projection-job.ts';
import { createRequester } from '../features/identity/requester.ts';
import { periodicSessionCleanup } from '../features/identity/session-cleanup.ts';
import { createBackfill } from '../features/libraries/closure/backfill.ts';
import { periodicBacklogCheck } from '../features/libraries/closure/backlog-check.ts';
import { createClosureCheck } from '../features/libraries/closure/closure-audit.ts';
import { createDefaultLibraryCheck } from '../features/libraries/default-library-check.ts';
import { createLibraryMedia } from '../features/libraries/library-media.ts';
import { periodicUploadExpiry } from '../features/media/files/abandoned-uploads.ts';
import { periodicOrphanSweep } from '../features/media/files/orphaned-files.ts';
import { createQuota } from '../features/media/files/quota.ts';
import { createFileCheck, createSearchCheck, createTextCheck } from '../features/media/integrity.ts';
import { createRegistry } from '../features/media/processing/extract.ts';
import { createIngest, type Ingest } from '../features/media/processing/ingest.ts';
import { periodicMissedIndexing } from '../features/media/processing/missed-indexing.ts';
import { createProgressCheck } from '../features/media/processing/progress-check.ts';
import { createPurge } from '../features/media/trash/purge.ts';
import { periodicPurge } from '../features/media/trash/purge-job.ts';
import { defineIntegrityAudit } from '../features/operations/integrity-audit.ts';
import { tellJobsEnded } from '../features/operations/job-events.ts';
import { defineIngestBatch } from '../features/transfer/ingest-batch.ts';
import { periodicAuditRetention } from '../platform/audit/retention.ts';
import type { ConnectionTarget, Database } from '../platform/database/database.ts';
import { createListener, type Listener } from '../platform/database/listener.ts';
import { createJobEngine, type JobEngine, type JobEngineOptions } from '../platform/jobs/engine.ts';
import { createJobCheck } from '../platform/jobs/integrity.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { Prometheus } from '../platform/telemetry/prometheus.ts';
import type { Config } from './config.ts';
import { createDelivery } from './delivery.ts';
import type { Outside } from './outside.ts';
import { createPeople } from './people.ts';

export interface EngineDependencies extends Pick<JobEngineOptions, 'sql' | 'log'> {
  /** Where to listen for notifications of other processes; a process that only enqueues need not. */
  listenAt?: ConnectionTarget | undefined;
  config: Pick<
    Config,
    | 'jobs'
    | 'env'
    | 'outbox'
    | 'audit'
    | 'rawModeEnabled'
    | 'ml'
    | 'neo4j'
    | 'defaultRole'
    | 'storageQuotaMb'
    | 'purgeAfterDays'
  >;
  outside: Outside;
  prometheus?: Prometheus | undefined;
}

export interface Engine extends JobEngine {
  listener: Listener;
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
  const listener = createListener({ sql, log, listenAt });
  const graph = createGraph({ sql, projector: outside.projector });
  const projection = createProjectionJob({ sql, graph });
  const mirror = config.neo4j && createNeo4jMirror({ sql, graph, options: config.neo4j });
  const subscribers = [projection.subscriber, ...(mirror ? [mirror.subscriber] : [])];
  const delivery = createDelivery({ sql, log, egress: outside.egress, config, subscribers });
  const backfill = createBackfill({ sql });
  const ingest = ingestThrough(() => engine, sql, log, outside, config);
  const analysis = analysisThrough(() => engine, sql, log, outside, config);
  const requester = createRequester(createPeople(sql, config));
  const engine = createJobEngine({
    sql,
    log,
    listener,
    sources: delivery.sources,
    ...config.jobs,
    types: [
      defineIntegrityAudit(sql, [
        createJobCheck(sql),
        createDefaultLibraryCheck(sql),
        createClosureCheck(sql),
        createProgressCheck(sql, log, createRegistry(outside.extractors, outside.storage)),
        createFileCheck(sql, outside.storage),
        createTextCheck(sql, outside.extractors),
        createSearchCheck(sql),
        createGraphCheck({ sql, graph, projector: outside.projector }),
        createBranchCheck(sql, outside.texts.run),
      ]),
      defineIngestBatch({ sql, requester, ingest, libraryMedia: createLibraryMedia({ sql }) }),
      defineBranchReplay({ sql, run: outside.texts.run, requester }),
      backfill.type,
      projection.type,
      ...ingest.types,
      ...analysis,
    ],
    periodic: [
      periodicSessionCleanup(sql),
      periodicAuditRetention(sql, config.audit.retentionDays),
      periodicBacklogCheck(backfill),
      periodicUploadExpiry({ sql, log, storage: outside.storage }),
      periodicPurge({
        sql,
        purge: createPurge({ sql, storage: outside.storage }),
        days: config.purgeAfterDays,
      }),
      periodicOrphanSweep({ sql, storage: outside.storage }),
      ...delivery.periodic,
      ...projection.periodic,
      periodicMissedIndexing(sql, ingest),
    ],
    onJobsEnded: tellJobsEnded,
    observe: prometheus?.observeAttempt,
  });
  return {
    ...engine,
    listener,
    async close() {
      await engine.close();
      await listener.close();
      await mirror?.close();
    },
  };
}

export function ingestThrough(
  engine: () => JobEngine,
  sql: Database,
  log: Logger,
  { storage, extractors }: Outside,
  { env, storageQuotaMb }: Pick<Config, 'env' | 'storageQuotaMb'>,
): Ingest {
  const registry = createRegistry(extractors, storage);
  const quota = createQuota({ sql, defaultMb: storageQuotaMb });
  return createIngest({ sql, log, storage, quota, engine, extractors: registry, isTest: env === 'test' });
}

function analysisThrough(
  engine: () => JobEngine,
  sql: Database,
  log: Logger,
  { analyser, modelEgress, texts }: Outside,
  { rawModeEnabled, ml, defaultRole }: EngineDependencies['config'],
) {
  const registry = createPluginRegistry(createPlugins(ml, modelEgress), log);
  const requester = createRequester(createPeople(sql, { defaultRole }));
  const perform = createPerform({ sql, requester, analyser, registry, rawModeEnabled, run: texts.run });
  return defineAnalysisJobs({ sql, perform, engine });
}
