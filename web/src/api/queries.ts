import { type Query, type QueryClient, type QueryKey, queryOptions } from '@tanstack/react-query';
import { ApiError, api } from './client.ts';

/** Every key of the query cache. A shorter key is the prefix of longer ones: invalidating it invalidates them all. */
export const queryKeys = {
  everything: () => [],
  session: () => ['session'],
  signInLink: (token: string) => ['sign-in-link', token],
  storage: () => ['storage'],
  trash: () => ['trash'],

  libraries: () => ['libraries'],
  members: (libraryId?: string) => key('members', libraryId),
  removalPreview: (libraryId: string, userId: string) => ['members', libraryId, 'preview', userId],
  invitations: (libraryId?: string) => key('invitations', libraryId),
  myInvitations: () => ['invitations', 'mine'],
  people: (prefix: string) => ['people', prefix],

  /** Everything that depends on the right to read a media. */
  media: () => ['media'],
  oneMedia: (mediaId?: string) => key('media', 'one', mediaId),
  mediaTitle: (mediaId: string) => ['media', 'title', mediaId],
  fragments: (mediaId: string) => ['media', 'fragments', mediaId],
  allFragments: (mediaId: string) => ['media', 'fragments', mediaId, 'all'],
  fragmentIndex: (mediaId: string) => ['media', 'fragments', mediaId, 'index'],
  fragment: (mediaId: string, idx: number) => ['media', 'fragments', mediaId, idx],
  attempts: (mediaId: string) => ['media', 'attempts', mediaId],
  provenance: (mediaId: string) => ['media', 'provenance', mediaId],
  mediaLists: () => ['media', 'list'],
  mediaListsOf: (libraryId: string) => ['media', 'list', libraryId],
  mediaList: (libraryId: string, params: object) => ['media', 'list', libraryId, params],
  continueReading: (libraryId?: string) => key('media', 'list', 'continue', libraryId),
  searches: () => ['media', 'search'],
  search: (query: object) => ['media', 'search', query],
  nextMedia: (mediaId: string) => ['media', 'next', mediaId],
  matches: (mediaId: string, query: object) => ['media', 'matches', mediaId, query],
  related: (mediaId?: string) => key('media', 'related', mediaId),
  highlights: () => ['media', 'highlights'],
  mediaHighlights: (mediaId: string) => ['media', 'highlights', 'of', mediaId],
  highlightList: (query: object) => ['media', 'highlights', 'list', query],
  audience: (highlightId: string, libraryIds: string) => [
    'media',
    'highlights',
    'audience',
    highlightId,
    libraryIds,
  ],
  replies: (highlightId: string) => ['media', 'highlights', 'replies', highlightId],
  savedSearches: () => ['saved-searches'],
  tags: () => ['tags'],
  firstTags: () => ['tags', 'first'],
  tagLevels: () => ['tags', 'levels'],
  allTags: () => ['tags', 'all'],
  namedTag: (name: string) => ['tags', 'named', name],
  completions: (prefix: string) => ['tags', 'completions', prefix],
  tagReasons: (mediaId: string) => ['tags', 'reasons', mediaId],
  libraryTags: (libraryId?: string) => key('library-tags', libraryId),
  allLibraryTags: (libraryId: string) => ['library-tags', libraryId, 'all'],
  namedLibraryTag: (libraryId: string, name: string) => ['library-tags', libraryId, 'named', name],
  libraryTagCompletions: (libraryId: string, prefix: string) => [
    'library-tags',
    libraryId,
    'completions',
    prefix,
  ],

  rules: () => ['rules'],
  ruleTag: (ruleId: string) => ['rules', 'tag', ruleId],
  ruleMatches: (query: string) => ['media', 'rule-matches', query],
  ruleNotifications: () => ['rule-notifications'],
  ruleRuns: () => ['rule-runs'],
  ruleRunList: (ruleId: string | undefined) => ['rule-runs', 'list', ruleId ?? 'all'],
  ruleRun: (runId: string) => ['rule-runs', 'one', runId],
  ruleRunItems: (runId: string) => ['rule-runs', 'items', runId],

  sites: (libraryId?: string) => key('sites', libraryId),

  analysisRuns: (mediaId: string) => ['analysis', mediaId, 'runs'],
  analysisRun: (mediaId: string, runId: string) => ['analysis', mediaId, 'run', runId],
  analysisShadow: (mediaId: string, runId: string) => ['analysis', mediaId, 'shadow', runId],
  startedAnalysis: (mediaId: string) => ['analysis', mediaId, 'started'],
  analysisProfiles: () => ['analysis-profiles'],

  jobs: () => ['jobs'],
  job: (jobId: string) => ['jobs', 'one', jobId],
  jobList: (name?: string) => key('jobs', 'list', name),
  jobStats: () => ['jobs', 'stats'],
  jobFailures: (minutes: string, filter: object) => ['jobs', 'failures', minutes, filter],
  jobProgress: (jobId?: string) => key('job-progress', jobId),
  importResult: (jobId: string) => ['import-result', jobId],
  throughput: (minutes?: string) => key('throughput', minutes),
  workers: () => ['workers'],

  backfills: () => ['backfills'],
  backfillList: () => ['backfills', 'list'],
  backfillHealth: () => ['backfills', 'health'],
  outbox: () => ['outbox'],
  outboxList: () => ['outbox', 'list'],
  outboxHealth: () => ['outbox', 'health'],
  outboxEvent: (eventId: string) => ['outbox', 'one', eventId],
  webhooks: () => ['webhooks'],
  webhookList: () => ['webhooks', 'list'],
  webhook: (webhookId: string) => ['webhooks', 'one', webhookId],
  deliveries: (webhookId: string) => ['webhooks', 'deliveries', webhookId],
  audit: () => ['audit'],
  users: () => ['users'],
  userList: () => ['users', 'list'],
  defaultRole: () => ['users', 'default-role'],
  apiKeys: () => ['api-keys'],
  apiKeyList: () => ['api-keys', 'list'],
  myApiKeys: () => ['api-keys', 'mine'],
} as const;

function key(...parts: (string | undefined)[]): string[] {
  return parts.filter((part) => part !== undefined);
}

const isFirstLoad = ({ state }: Query) => state.data === undefined && state.fetchStatus === 'fetching';

/** A list of media with more pages than this is updated item by item, because a refetch fetches all its pages. */
const MAX_REFETCHED_PAGES = 3;

/**
 * Marks queries as stale, and refetches those that are on the screen. Very long lists of media are left as they are. A query
 * that is loading for the first time is refetched afterwards: its answer may be older than the change.
 */
export async function invalidate(queryClient: QueryClient, ...keys: QueryKey[]): Promise<void> {
  const isShort = ({ state }: Query) =>
    ((state.data as { pages: unknown[] } | undefined)?.pages.length ?? 0) <= MAX_REFETCHED_PAGES;
  const [kind, list] = queryKeys.mediaLists();
  await Promise.all(
    keys.map(async (queryKey) => {
      const isLists = queryKey[0] === kind && queryKey[1] === list;
      const firstLoads = queryClient.getQueryCache().findAll({ queryKey, predicate: isFirstLoad });
      await queryClient.invalidateQueries({ queryKey, ...(isLists && { predicate: isShort }) });
      for (const { queryKey: loaded } of firstLoads)
        await queryClient.invalidateQueries({ queryKey: loaded, exact: true });
    }),
  );
}

type Params = Record<string, string | number>;

/** A query for the answer to a GET request. */
export const getQuery = <T>(queryKey: QueryKey, path: string, params: Params = {}) =>
  queryOptions({ queryKey, queryFn: ({ signal }) => api.get<T>(path, params, signal) });

/** A query for the `data` of the answer to a GET request. */
export const dataQuery = <T>(queryKey: QueryKey, path: string, params: Params = {}) =>
  queryOptions({ queryKey, queryFn: ({ signal }) => api.getData<T>(path, params, signal) });

/** Whether a text in the address can be an id. */
export const isId = (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

/**
 * Makes a query for one object answer "not found" when the id in the address cannot be one. The server would answer with
 * a validation message, which is for programmers.
 */
export function onlyForId<Query extends { queryFn?: unknown }>(id: string, query: Query): Query {
  if (isId(id)) return query;
  const refuse = () => Promise.reject(new ApiError(404, 'E_NOT_FOUND', 'Check the address for a typo.'));
  return { ...query, queryFn: refuse };
}
