import { type Query, QueryCache, QueryClient, type QueryKey, queryOptions } from '@tanstack/react-query';
import { ApiError, api } from './client.ts';
import { queryKeys } from './query-keys.ts';

const MAX_RETRIES = 2;

/** Retries only errors that may be temporary. */
function mayRetry(failures: number, error: unknown): boolean {
  if (failures >= MAX_RETRIES || !(error instanceof ApiError)) return false;
  return error.status === 0 || error.status === 429 || error.status >= 502;
}

function retryDelay(failures: number, error: unknown): number {
  if (error instanceof ApiError && error.retryAfter) return Math.min(error.retryAfter, 30) * 1000;
  return Math.min(500 * 2 ** failures, 4000);
}

export function createQueryClient({ onSignedOut }: { onSignedOut: () => void }): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        // The session queries themselves expect to find nobody signed in.
        const isExpected = query.queryKey[0] === 'session' || query.queryKey[0] === 'sign-in-link';
        if (!isExpected && error instanceof ApiError && error.isSignedOut) onSignedOut();
      },
    }),
    defaultOptions: {
      queries: { retry: mayRetry, retryDelay, staleTime: 10_000, refetchOnWindowFocus: true },
      mutations: { retry: false },
    },
  });
}

/** A list of media with more pages than this is updated item by item, because a refetch fetches all its pages. */
const MAX_REFETCHED_PAGES = 3;

/** Marks queries as stale, and refetches those that are on the screen. Very long lists of media are left as they are. */
export async function invalidate(queryClient: QueryClient, ...keys: QueryKey[]): Promise<void> {
  const isShort = ({ state }: Query) =>
    ((state.data as { pages: unknown[] } | undefined)?.pages.length ?? 0) <= MAX_REFETCHED_PAGES;
  const [kind, list] = queryKeys.mediaLists();
  await Promise.all(
    keys.map((queryKey) => {
      const isLists = queryKey[0] === kind && queryKey[1] === list;
      return queryClient.invalidateQueries({ queryKey, ...(isLists && { predicate: isShort }) });
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
