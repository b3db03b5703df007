import type { RunByCost } from '../../platform/processes/by-cost.ts';
import type { Feature, Platform } from '../feature.ts';
import type { Governance } from '../governance/governance.ts';
import type { Authentication } from '../identity/authentication.ts';
import type { Requester } from '../identity/requester.ts';
import { createBranches } from './branches.ts';
import { createBranchCheck, defineBranchReplay } from './integrity.ts';
import { registerBranchRoutes } from './routes.ts';
import type { branchWork } from './work.ts';

interface BranchesFeatureDependencies extends Pick<Platform, 'sql'> {
  texts: { run: RunByCost<typeof branchWork> };
  authentication: Authentication;
  requester: Requester;
  governance: Governance;
}

export function createBranchesFeature({
  sql,
  texts,
  requester,
  ...dependencies
}: BranchesFeatureDependencies) {
  const { run } = texts;
  const { governance, authentication } = dependencies;
  const branches = createBranches({ sql, requireMode: authentication.requireMode, governance, run });
  return {
    name: 'branches',
    services: { branches },
    routes: (api) => registerBranchRoutes(api, branches),
    jobTypes: [defineBranchReplay(sql, run, requester)],
    checks: [createBranchCheck(sql, run)],
  } satisfies Feature;
}
