import { createAnalyze } from '../features/analysis/analyze.ts';
import { createPlugins } from '../features/analysis/plugins/plugins.ts';
import { createProfiles } from '../features/analysis/profiles.ts';
import { createRuns } from '../features/analysis/runs.ts';
import { createBranches } from '../features/branches/branches.ts';
import { createFeed } from '../features/events/feed.ts';
import { createEventStreams } from '../features/events/streams.ts';
import { createGovernance } from '../features/governance/governance.ts';
import { createPolicies } from '../features/governance/policies.ts';
import { createGraph } from '../features/graph/graph.ts';
import { createAccessTokens } from '../features/identity/access-token.ts';
import { createApiKeys } from '../features/identity/api-keys.ts';
import { createAuthentication } from '../features/identity/authentication.ts';
import { createProfile } from '../features/identity/profile.ts';
import { createRefusals } from '../features/identity/refusals.ts';
import { createSessions } from '../features/identity/sessions.ts';
import { createSignInLinks } from '../features/identity/sign-in-links.ts';
import { createTokens } from '../features/identity/tokens.ts';
import { createBackfill } from '../features/libraries/closure/backfill.ts';
import { createLibraryServices } from '../features/libraries/service.ts';
import { createFiles } from '../features/media/files/files.ts';
import { createImages } from '../features/media/files/images.ts';
import { createQuota } from '../features/media/files/quota.ts';
import { createUploads } from '../features/media/files/uploads.ts';
import { createLibraryList } from '../features/media/lists/library-list.ts';
import { createMediaLists } from '../features/media/lists/list.ts';
import { createReadings } from '../features/media/lists/reading.ts';
import { createMedia } from '../features/media/media.ts';
import { createSearch } from '../features/media/search/search.ts';
import { createPurge } from '../features/media/trash/purge.ts';
import { createTrash } from '../features/media/trash/trash.ts';
import { createIntegrityFindings } from '../features/operations/integrity-audit.ts';
import { createJobs } from '../features/operations/jobs.ts';
import { createOutboxOperations } from '../features/operations/outbox.ts';
import { createOperations } from '../features/operations/service.ts';
import { createExports } from '../features/transfer/exports.ts';
import { createWebhooks } from '../features/webhooks/webhooks.ts';
import type { Database } from '../platform/database/database.ts';
import { installationSecret } from '../platform/database/installation-secret.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { Config } from './config.ts';
import { type Engine, ingestThrough } from './engine.ts';
import type { Outside } from './outside.ts';
import { createPeople } from './people.ts';

export type Services = ReturnType<typeof createServices>;

/** Every service, wired to the others. */
export function createServices(
  sql: Database,
  engine: Engine,
  config: Pick<
    Config,
    | 'env'
    | 'rawModeEnabled'
    | 'acceptsWellKnownKeys'
    | 'defaultRole'
    | 'asyncJobsEnabled'
    | 'shadowExecutionEnabled'
    | 'tokenSecret'
    | 'requestsPerMinute'
    | 'ml'
    | 'storageQuotaMb'
    | 'purgeAfterDays'
  >,
  log: Logger,
  outside: Outside,
) {
  const { storage, egress } = outside;
  const { run } = outside.texts;
  const ingest = ingestThrough(() => engine, sql, log, outside, config);
  const { rawModeEnabled, acceptsWellKnownKeys } = config;
  const accessTokens = createAccessTokens(tokenSecret(sql, config));
  const refusals = createRefusals({ sql });
  const authentication = createAuthentication({
    sql,
    refusals,
    rawModeEnabled,
    acceptsWellKnownKeys,
    readAccessToken: accessTokens.read,
    requestsPerMinute: config.requestsPerMinute,
  });
  const users = createPeople(sql, config);
  const sessions = createSessions({ sql, authentication, refusals });
  const backfill = createBackfill({ sql });
  const webhooks = createWebhooks({ sql, egress });
  const { requireMode } = authentication;
  const governance = createGovernance({ sql, requireMode, run });
  const analysisRuns = createRuns({ sql, governance, requireMode });
  const libraryServices = createLibraryServices({ sql, users, backfill });
  const quota = createQuota({ sql, defaultMb: config.storageQuotaMb });
  const media = createMedia({ sql, ingest, libraryMedia: libraryServices.libraryMedia });
  const mediaLists = createMediaLists({ sql });
  const jobs = createJobs({
    ...config,
    sql,
    engine,
    requireMode,
    authorise: { analyze: analysisRuns.authorise },
  });
  return {
    users,
    sessions,
    tokens: createTokens({ sql, accessTokens, authentication, sessions, refusals }),
    profile: createProfile({ sql, users }),
    signInLinks: createSignInLinks({ sql, users }),
    webhooks,
    apiKeys: createApiKeys({ sql }),
    authentication,
    operations: createOperations({ sql }),
    outbox: createOutboxOperations({ sql, measureWebhooks: webhooks.measure }),
    events: createFeed({ sql }),
    eventStreams: createEventStreams({ sql, log, listener: engine.listener }),
    ...libraryServices,
    media,
    mediaLists,
    libraryList: createLibraryList({ sql }),
    exports: createExports({ ...libraryServices, sql, media, mediaLists, governance, requireMode, run }),
    readings: createReadings({ sql }),
    search: createSearch({ sql }),
    quota,
    trash: createTrash({
      sql,
      purge: createPurge({ sql, storage }),
      libraryMedia: libraryServices.libraryMedia,
      days: config.purgeAfterDays,
    }),
    uploads: createUploads({ sql, log, storage, quota, ingest }),
    files: createFiles({ sql, storage }),
    images: createImages({ sql, storage, egress, quota }),
    jobs,
    governance,
    policies: createPolicies({ sql }),
    analysisRuns,
    analysisProfiles: createProfiles({ ...config, plugins: createPlugins(config.ml, outside.modelEgress) }),
    analyze: createAnalyze({ submit: jobs.submit, runs: analysisRuns }),
    graph: createGraph({ sql, projector: outside.projector }),
    branches: createBranches({ sql, requireMode, governance, run }),
    integrityFindings: createIntegrityFindings({ sql }),
  };
}

function tokenSecret(sql: Database, config: Pick<Config, 'tokenSecret'>): () => Promise<Uint8Array> {
  if (config.tokenSecret === undefined) return installationSecret(sql, 'tokens');
  const given = new TextEncoder().encode(config.tokenSecret);
  return async () => given;
}
