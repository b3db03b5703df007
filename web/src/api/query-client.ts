import { QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from './error.ts';

const MOST_RETRIES = 2;

/** Only what may pass by itself is tried again. */
function mayRetry(failures: number, error: unknown): boolean {
  if (failures >= MOST_RETRIES || !(error instanceof ApiError)) return false;
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
        // Whoever asks for the session itself wants to know, and is not surprised.
        const isSurprise = query.queryKey[0] !== 'session' && query.queryKey[0] !== 'sign-in-link';
        if (isSurprise && error instanceof ApiError && error.isSignedOut) onSignedOut();
      },
    }),
    defaultOptions: {
      queries: { retry: mayRetry, retryDelay, staleTime: 10_000, refetchOnWindowFocus: true },
      mutations: { retry: false },
    },
  });
}
