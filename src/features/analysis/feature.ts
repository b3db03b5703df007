import type { Egress } from '../../platform/egress/egress.ts';
import type { RunByCost } from '../../platform/processes/by-cost.ts';
import type { Feature, Platform } from '../feature.ts';
import type { Governance } from '../governance/governance.ts';
import type { governanceWork } from '../governance/work.ts';
import type { Authentication } from '../identity/authentication.ts';
import type { Requester } from '../identity/requester.ts';
import type { Jobs } from '../operations/jobs.ts';
import type { AnalysisProcesses } from './analysis-processes.ts';
import { defineAnalysisJobs } from './jobs.ts';
import { createMlPlugin, type MlOptions } from './plugins/ml.ts';
import { createPluginRegistry, deterministicPlugin, profilesOf } from './plugins/registry.ts';
import { registerAnalysisRoutes } from './routes.ts';
import { createRunAnalysis } from './run-analysis.ts';
import { createRuns } from './runs.ts';

interface AnalysisFeatureDependencies extends Pick<Platform, 'sql' | 'log'> {
  analysisProcesses: AnalysisProcesses;
  modelEgress: Egress;
  texts: { run: RunByCost<typeof governanceWork> };
  authentication: Authentication;
  requester: Requester;
  jobs: Jobs;
  governance: Governance;
  config: {
    rawModeEnabled: boolean;
    shadowExecutionEnabled: boolean;
    ml: Omit<MlOptions, 'egress'> | undefined;
  };
}

export function createAnalysisFeature(dependencies: AnalysisFeatureDependencies) {
  const { sql, log, analysisProcesses, texts, requester, jobs, governance, config } = dependencies;
  const { requireMode } = dependencies.authentication;
  const model = config.ml && createMlPlugin({ ...config.ml, egress: dependencies.modelEgress });
  const plugins = model ? [model, deterministicPlugin] : [deterministicPlugin];
  const registry = createPluginRegistry(plugins, log);
  const analysisRuns = createRuns({ sql, governance, requireMode, submit: jobs.submit, getJob: jobs.get });
  const runAnalysis = createRunAnalysis({
    ...config,
    sql,
    requester,
    analysisProcesses,
    registry,
    run: texts.run,
  });
  const analysisProfiles = {
    profiles: profilesOf(plugins),
    is_shadow_enabled: config.shadowExecutionEnabled,
  };
  return {
    name: 'analysis',
    services: { analysisRuns },
    routes: (api) => registerAnalysisRoutes(api, analysisRuns, analysisProfiles),
    jobTypes: defineAnalysisJobs({ sql, runAnalysis, authorise: analysisRuns.authorise }),
  } satisfies Feature;
}
