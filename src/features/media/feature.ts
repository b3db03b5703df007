import type { RunByCost } from '../../platform/processes/by-cost.ts';
import type { Feature, Platform } from '../feature.ts';
import type { LibraryMediaService } from '../libraries/library-media.ts';
import type { LibraryTags } from '../libraries/library-tags.ts';
import type { Extractors } from './extractors/extractors.ts';
import { registerFileRoutes } from './files/file-routes.ts';
import { createFiles } from './files/files.ts';
import { createImages } from './files/images.ts';
import { periodicThumbnails } from './files/missed-thumbnails.ts';
import { createQuota } from './files/quota.ts';
import { periodicOrphanSweep, periodicUploadExpiry } from './files/sweeps.ts';
import { createThumbnails } from './files/thumbnails.ts';
import { createUploads } from './files/uploads.ts';
import { createFileCheck, createSearchCheck, createTextCheck } from './integrity.ts';
import { createBulkMedia } from './lists/bulk.ts';
import { createMediaLists } from './lists/list.ts';
import { registerListRoutes } from './lists/list-routes.ts';
import { createMedia } from './media.ts';
import { createMine } from './mine/mine.ts';
import { registerMineRoutes } from './mine/mine-routes.ts';
import { createTags } from './mine/tags.ts';
import { createRegistry } from './processing/extract.ts';
import { createIngest } from './processing/ingest.ts';
import { createProgressCheck, periodicMissedIndexing } from './processing/stuck.ts';
import { withForcedRun } from './processing/test-force-run.ts';
import { registerMediaRoutes } from './routes.ts';
import type { OnReplace } from './saving/unite-media.ts';
import { createFind } from './search/find.ts';
import { periodicOutdatedRows } from './search/outdated-rows.ts';
import { registerSavedSearchRoutes } from './search/saved/saved-search-routes.ts';
import { createSavedSearches } from './search/saved/saved-searches.ts';
import { createSearch } from './search/search.ts';
import { registerSearchRoutes } from './search/search-routes.ts';
import type { searchWork } from './search/work.ts';
import { listTitles } from './store.ts';
import { createPurge, periodicPurge } from './trash/purge.ts';
import { createTrash } from './trash/trash.ts';
import { registerTrashRoutes } from './trash/trash-routes.ts';

interface MediaFeatureDependencies extends Pick<Platform, 'sql' | 'log' | 'storage' | 'egress'> {
  extractors: Extractors;
  texts: { run: RunByCost<typeof searchWork> };
  libraryMedia: LibraryMediaService;
  libraryTags: LibraryTags;
  onReplace: OnReplace;
  config: { env: string; storageQuotaMb: number; purgeAfterDays: number; publicUrl: string | undefined };
}

export function createMediaFeature(dependencies: MediaFeatureDependencies) {
  const { sql, log, storage, egress, extractors, texts, libraryMedia, libraryTags, onReplace, config } =
    dependencies;
  const { purgeAfterDays: days, publicUrl } = config;
  const registry = createRegistry(extractors, storage);
  const quota = createQuota({ sql, defaultMb: config.storageQuotaMb });
  const makeThumbnail = createThumbnails({ sql, storage, quota, extractors });
  const images = createImages({ sql, storage, egress, quota, makeThumbnail });
  const ingest = createIngest({ sql, log, storage, quota, images, extractors: registry, onReplace });
  const purge = createPurge({ sql, storage });
  const mediaLists = createMediaLists({ sql });
  const trash = createTrash({ sql, purge, libraryMedia, days });
  const services = {
    ingest,
    media: createMedia({ sql, ingest }),
    mediaLists,
    bulk: createBulkMedia({ sql, mediaLists, libraryMedia, libraryTags, trash, ingest }),
    mine: createMine({ sql }),
    tags: createTags({ sql }),
    search: createSearch({ sql, mediaLists, run: texts.run }),
    savedSearches: createSavedSearches({ sql, mediaLists }),
    find: createFind({ sql, run: texts.run }),
    quota,
    uploads: createUploads({ sql, log, storage, quota, ingest, libraryMedia, onReplace, publicUrl }),
    files: createFiles({ sql, storage }),
    images,
    trash,
  };
  return {
    name: 'media',
    services,
    routes(api) {
      registerListRoutes(api, services);
      registerMineRoutes(api, services);
      registerSearchRoutes(api, services);
      registerSavedSearchRoutes(api, services.savedSearches);
      registerMediaRoutes(api, services);
      registerFileRoutes(api, services);
      registerTrashRoutes(api, services.trash);
    },
    jobTypes: [
      config.env === 'test' ? withForcedRun(sql, ingest.ingestType) : ingest.ingestType,
      ingest.indexType,
      images.saveType,
    ],
    periodic: [
      periodicUploadExpiry({ sql, log, storage }),
      periodicMissedIndexing(sql, ingest),
      periodicOutdatedRows(sql),
      periodicPurge({ sql, purge, days }),
      periodicOrphanSweep({ sql, storage }),
      periodicThumbnails(sql, images),
    ],
    names: (viewer, ids) => listTitles(sql, viewer, ids),
    checks: [
      createProgressCheck(sql, log, registry),
      createFileCheck(sql, storage),
      createTextCheck(sql, extractors),
      createSearchCheck(sql),
    ],
  } satisfies Feature;
}
