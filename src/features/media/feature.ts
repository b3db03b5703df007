import type { Feature, Platform } from '../feature.ts';
import type { LibraryMediaService } from '../libraries/library-media.ts';
import type { Extractors } from './extractors/extractors.ts';
import { periodicUploadExpiry } from './files/abandoned-uploads.ts';
import { createFiles } from './files/files.ts';
import { createImages } from './files/images.ts';
import { periodicOrphanSweep } from './files/orphaned-files.ts';
import { createQuota } from './files/quota.ts';
import { registerQuotaRoutes } from './files/quota-routes.ts';
import { registerUploadRoutes } from './files/upload-routes.ts';
import { createUploads } from './files/uploads.ts';
import { createFileCheck, createSearchCheck, createTextCheck } from './integrity.ts';
import { createLibraryList } from './lists/library-list.ts';
import { createMediaLists } from './lists/list.ts';
import { registerListRoutes } from './lists/list-routes.ts';
import { createReadingProgress } from './lists/reading-progress.ts';
import { createMedia } from './media.ts';
import { createRegistry } from './processing/extract.ts';
import { createIngest } from './processing/ingest.ts';
import { periodicMissedIndexing } from './processing/missed-indexing.ts';
import { createProgressCheck } from './processing/progress-check.ts';
import { withForcedRun } from './processing/test-force-run.ts';
import { registerMediaRoutes } from './routes.ts';
import { createSearch } from './search/search.ts';
import { registerSearchRoutes } from './search/search-routes.ts';
import { createPurge } from './trash/purge.ts';
import { periodicPurge } from './trash/purge-job.ts';
import { createTrash } from './trash/trash.ts';
import { registerTrashRoutes } from './trash/trash-routes.ts';

export interface MediaFeatureDependencies extends Pick<Platform, 'sql' | 'log' | 'storage' | 'egress'> {
  extractors: Extractors;
  libraryMedia: LibraryMediaService;
  config: { env: string; storageQuotaMb: number; purgeAfterDays: number };
}

export function createMediaFeature(dependencies: MediaFeatureDependencies) {
  const { sql, log, storage, egress, extractors, libraryMedia, config } = dependencies;
  const { purgeAfterDays: days } = config;
  const registry = createRegistry(extractors, storage);
  const quota = createQuota({ sql, defaultMb: config.storageQuotaMb });
  const ingest = createIngest({ sql, log, storage, quota, extractors: registry });
  const purge = createPurge({ sql, storage });
  const services = {
    ingest,
    media: createMedia({ sql, ingest }),
    mediaLists: createMediaLists({ sql }),
    libraryList: createLibraryList({ sql }),
    readings: createReadingProgress({ sql }),
    search: createSearch({ sql }),
    quota,
    uploads: createUploads({ sql, log, storage, quota, ingest, libraryMedia }),
    files: createFiles({ sql, storage }),
    images: createImages({ sql, storage, egress, quota }),
    trash: createTrash({ sql, purge, libraryMedia, days }),
  };
  return {
    name: 'media',
    services,
    routes(server) {
      registerListRoutes(server, services);
      registerSearchRoutes(server, services.search);
      registerMediaRoutes(server, services);
      registerUploadRoutes(server, services.uploads);
      registerTrashRoutes(server, services.trash);
      registerQuotaRoutes(server, quota);
    },
    jobTypes: [
      config.env === 'test' ? withForcedRun(sql, ingest.ingestType) : ingest.ingestType,
      ingest.indexType,
    ],
    periodic: [
      periodicUploadExpiry({ sql, log, storage }),
      periodicMissedIndexing(sql, ingest),
      periodicPurge({ sql, purge, days }),
      periodicOrphanSweep({ sql, storage }),
    ],
    checks: [
      createProgressCheck(sql, log, registry),
      createFileCheck(sql, storage),
      createTextCheck(sql, extractors),
      createSearchCheck(sql),
    ],
  } satisfies Feature;
}
