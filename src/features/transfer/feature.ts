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

export interface TransferFeatureDependencies extends Pick<Platform, 'sql'> {
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
  const { sql, texts, authentication, requester, libraries } = dependencies;
  const { media, mediaLists, ingest, governance } = dependencies;
  const exports = createExports({
    sql,
    libraries,
    media,
    mediaLists,
    governance,
    requireMode: authentication.requireMode,
    run: texts.run,
  });
  return {
    name: 'transfer',
    services: { exports },
    routes: (server) => registerExportRoutes(server, exports),
    jobTypes: [defineIngestBatch({ sql, requester, ingest })],
  } satisfies Feature;
}
