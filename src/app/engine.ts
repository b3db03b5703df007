import { defineAnalysisJobs } from '../features/analysis/jobs.ts';
import { createPlugins } from '../features/analysis/plugins/plugins.ts';
import { createPluginRegistry } from '../features/analysis/plugins/registry.ts';
import { createRunAnalysis } from '../features/analysis/run-analysis.ts';
import { createBranchCheck } from '../features/branches/integrity.ts';
import { defineBranchReplay } from '../features/branches/replay-job.ts';
import { createGraph } from '../features/graph/graph.ts';
import { createGraphCheck } from '../features/graph/integrity.ts';
import { createNeo4jMirror } from '../features/graph/neo4j.ts';
import { createProjectionJob } from '../features/graph/projection-job.ts';
import { createRequester } from '../features/identity/requester.ts';
import { periodicSessionCleanup } from '../features/identity/session-cleanup.ts';
import { createBackfill } from '../features/libraries/closure/backfill.ts';
import {
  defineBackfillJob,
  periodicBackfillSweep,
  sendThrough,
} from '../features/libraries/closure/backfill-jobs.ts';
import { createClosureCheck } from '../features/libraries/closure/closure-audit.ts';
import { createDefaultLibraryCheck } from '../features/libraries/default-library-check.ts';
import { periodicOrphanSweep } from '../features/media/files/orphaned-files.ts';
import { createQuota } from '../features/media/files/quota.ts';
import { createFileCheck, createSearchCheck, createTextCheck } from '../features/media/integrity.ts';
import { createRegistry } from '../features/media/processing/extract.ts';
import { createIngest, type Ingest } from '../features/media/processing/ingest.ts';
import { createMediaSweep } from '../features/media/processing/media-sweep.ts';
import { createProgressCheck } from '../features/media/processing/progress-check.ts';
import { createPurge } from '../features/media/trash/purge.ts';
import { periodicPurge } from '../features/media/trash/purge-job.ts';
import { defineIntegrityAudit } from '../features/operations/integrity-audit.ts';
import { tellJobsEnded } from '../features/operations/job-events.ts';
import { defineIngestBatch } from '../features/transfer/ingest-batch.ts';
import { periodicAuditRetention } from '../platform/audit/retention.ts';
import type { Database } from '../platform/database/database.ts';
import { createJobEngine, type JobEngine, type JobEngineOptions } from '../platform/jobs/engine.ts';
import { createJobCheck } from '../platform/jobs/integrity.ts';
import { createHints, type Hints } from '../platform/outbox/hints.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { Prometheus } from '../platform/telemetry/prometheus.ts';
import type { Config } from './config.ts';
import { createDelivery } from './delivery.ts';
import type { Outside } from './outside.ts';
import { createPeople } from './people.ts';

export interface EngineDependencies extends Pick<JobEngineOptions, 'sql' | 'log' | 'listenAt'> {
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
  const graph = createGraph({ sql, projector: outside.projector });
  const projection = createProjectionJob({ sql, graph, engine: () => engine });
  const mirror = config.neo4j && createNeo4jMirror({ sql, graph, options: config.neo4j });
  const subscribers = [projection.subscriber, ...(mirror ? [mirror.subscriber] : [])];
  const delivery = createDelivery({ sql, log, hints, egress: outside.egress, config, subscribers });
  const backfill = createBackfill({ sql, log, send: sendThrough(sql, () => engine) });
  const ingest = ingestThrough(() => engine, sql, log, outside, config);
  const mediaSweep = createMediaSweep({ sql, log, storage: outside.storage });
  const analysis = analysisThrough(() => engine, sql, log, outside, config);
  const requester = createRequester(createPeople(sql, config));
  const engine = createJobEngine({
    sql,
    log,
    listenAt,
    ...config.jobs,
    types: [
      defineIntegrityAudit(sql, [
        createJobCheck(sql),
        createDefaultLibraryCheck(sql),
        createClosureCheck(sql),
        createProgressCheck(sql, mediaSweep, createRegistry(outside.extractors, outside.storage)),
        createFileCheck(sql, outside.storage),
        createTextCheck(sql, outside.extractors),
        createSearchCheck(sql),
        createGraphCheck({ sql, graph, projector: outside.projector }),
        createBranchCheck(sql, outside.texts.run),
      ]),
      defineIngestBatch({ sql, requester, ingest }),
      defineBranchReplay({ sql, run: outside.texts.run, requester }),
      defineBackfillJob(backfill),
      projection.type,
      ...ingest.types,
      ...analysis,
    ],
    periodic: [
      periodicSessionCleanup(sql),
      periodicAuditRetention(sql, config.audit.retentionDays),
      periodicBackfillSweep(backfill),
      mediaSweep.periodic,
      periodicPurge({
        sql,
        purge: createPurge({ sql, storage: outside.storage }),
        days: config.purgeAfterDays,
      }),
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
  const runAnalysis = createRunAnalysis({
    sql,
    requester,
    analyser,
    registry,
    rawModeEnabled,
    run: texts.run,
  });
  return defineAnalysisJobs({ sql, runAnalysis, engine });
}
