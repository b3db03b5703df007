import { QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from './client.ts';

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
    // Without a network, requests fail with a message. By default they would wait for it, and run even after "Cancel".
    defaultOptions: {
      queries: {
        retry: mayRetry,
        retryDelay,
        staleTime: 10_000,
        refetchOnWindowFocus: true,
        networkMode: 'always',
        refetchOnReconnect: true,
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}
