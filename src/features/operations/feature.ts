import { periodicAuditRetention } from '../../platform/audit/retention.ts';
import { createJobCheck } from '../../platform/jobs/integrity.ts';
import { periodicOutboxCleanup } from '../../platform/outbox/maintenance.ts';
import type { Feature, Platform } from '../feature.ts';
import type { Authentication } from '../identity/authentication.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import { createIntegrityFindings, defineIntegrityAudit } from './integrity-audit.ts';
import { registerJobRoutes } from './job-routes.ts';
import { createJobs } from './jobs.ts';
import { measureJobs, measureOutbox } from './metrics.ts';
import { createOutboxOperations } from './outbox.ts';
import { registerOperationsRoutes } from './routes.ts';
import { createOperations } from './service.ts';

interface OperationsFeatureDependencies extends Pick<Platform, 'sql' | 'queue' | 'checks' | 'names'> {
  authentication: Authentication;
  webhooks: Webhooks;
  config: {
    asyncJobsEnabled: boolean;
    shadowExecutionEnabled: boolean;
    outbox: { retentionHours: number };
    audit: { retentionDays: number };
  };
}

export function createOperationsFeature(dependencies: OperationsFeatureDependencies) {
  const { sql, queue, checks, names, authentication, webhooks, config } = dependencies;
  const services = {
    operations: createOperations({ sql, names }),
    jobs: createJobs({ ...config, sql, queue, requireMode: authentication.requireMode }),
    outbox: createOutboxOperations({ sql, webhooks }),
    integrityFindings: createIntegrityFindings({ sql }),
  };
  return {
    name: 'operations',
    services,
    routes(api) {
      registerOperationsRoutes(api, services);
      registerJobRoutes(api, services);
    },
    jobTypes: [defineIntegrityAudit(sql, checks)],
    periodic: [
      periodicAuditRetention(sql, config.audit.retentionDays),
      periodicOutboxCleanup(sql, config.outbox.retentionHours),
    ],
    checks: [createJobCheck(sql)],
    metrics: [measureJobs(services.jobs), measureOutbox(services.outbox)],
  } satisfies Feature;
}
