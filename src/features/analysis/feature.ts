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
import type { MlOptions } from './plugins/ml.ts';
import { createPlugins } from './plugins/plugins.ts';
import { createPluginRegistry } from './plugins/registry.ts';
import { createProfiles } from './profiles.ts';
import { registerAnalysisRoutes } from './routes.ts';
import { createRunAnalysis } from './run-analysis.ts';
import { createRuns } from './runs.ts';
import { createSubmitAnalysis } from './submit-analysis.ts';

export interface AnalysisFeatureDependencies extends Pick<Platform, 'sql' | 'log'> {
  analyser: AnalysisProcesses;
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
  const { sql, log, analyser, texts, requester, jobs, governance, config } = dependencies;
  const { requireMode } = dependencies.authentication;
  const plugins = createPlugins(config.ml, dependencies.modelEgress);
  const registry = createPluginRegistry(plugins, log);
  const analysisRuns = createRuns({ sql, governance, requireMode });
  const runAnalysis = createRunAnalysis({ ...config, sql, requester, analyser, registry, run: texts.run });
  const services = {
    analysisRuns,
    analysisProfiles: createProfiles({ ...config, plugins }),
    analyze: createSubmitAnalysis({ submit: jobs.submit, runs: analysisRuns }),
  };
  return {
    name: 'analysis',
    services,
    routes: (server) => registerAnalysisRoutes(server, services),
    jobTypes: defineAnalysisJobs({ sql, runAnalysis, authorise: analysisRuns.authorise }),
  } satisfies Feature;
}
