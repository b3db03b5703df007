import type { RunByCost } from '../../platform/processes/by-cost.ts';
import type { Feature, Platform } from '../feature.ts';
import type { Governance } from '../governance/governance.ts';
import type { Authentication } from '../identity/authentication.ts';
import type { Requester } from '../identity/requester.ts';
import type { Libraries } from '../libraries/libraries.ts';
import type { MediaLists } from '../media/lists/list.ts';
import type { MediaService } from '../media/media.ts';
import type { Ingest } from '../media/processing/ingest.ts';
import { createExports } from './exports.ts';
import { defineIngestBatch } from './ingest-batch.ts';
import { registerExportRoutes } from './routes.ts';
import type { exportWork } from './work.ts';

interface TransferFeatureDependencies extends Pick<Platform, 'sql'> {
  texts: { run: RunByCost<typeof exportWork> };
  authentication: Authentication;
  requester: Requester;
  libraries: Libraries;
  media: MediaService;
  mediaLists: MediaLists;
  ingest: Ingest;
  governance: Governance;
}

export function createTransferFeature(dependencies: TransferFeatureDependencies) {
  const { requireMode } = dependencies.authentication;
  const exports = createExports({ ...dependencies, requireMode, run: dependencies.texts.run });
  return {
    name: 'transfer',
    services: { exports },
    routes: (api) => registerExportRoutes(api, exports),
    jobTypes: [defineIngestBatch(dependencies)],
  } satisfies Feature;
}
