import type { RunByCost } from '../../platform/processes/by-cost.ts';
import type { Feature, Platform } from '../feature.ts';
import type { Authentication } from '../identity/authentication.ts';
import { createGovernance } from './governance.ts';
import { createPolicies, seedConfiguredPolicy } from './policies.ts';
import { registerGovernanceRoutes } from './routes.ts';
import type { governanceWork } from './work.ts';

interface GovernanceFeatureDependencies extends Pick<Platform, 'sql'> {
  texts: { run: RunByCost<typeof governanceWork> };
  authentication: Authentication;
  config: { blockedTerms: string[] };
}

export function createGovernanceFeature(dependencies: GovernanceFeatureDependencies) {
  const { sql, texts, authentication, config } = dependencies;
  const { requireMode } = authentication;
  const services = {
    governance: createGovernance({ sql, requireMode, run: texts.run }),
    policies: createPolicies({ sql }),
  };
  return {
    name: 'governance',
    services,
    routes: (api) => registerGovernanceRoutes(api, services),
    onStart: () => seedConfiguredPolicy(sql, config.blockedTerms),
  } satisfies Feature;
}
