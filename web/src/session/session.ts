import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { ApiError, request } from '../api/client.ts';
import { queryKeys } from '../api/queries.ts';
import type { Answer, Role, Session } from '../api/types.ts';

/** The session is not part of the API. */
const SESSION = '/app/session';

/** Fetches the session. Throws the usual error for unauthenticated requests when nobody is signed in. */
export async function fetchSession(): Promise<Session> {
  const { data } = await request<Answer<Session | null>>('GET', SESSION);
  if (!data) throw new ApiError(401, 'E_UNAUTHENTICATED', 'You are not signed in. Sign in again.');
  return data;
}

export const sessionQuery = queryOptions({
  queryKey: queryKeys.session(),
  queryFn: fetchSession,
  staleTime: 60_000,
});

/** The session. Pages that need one load it before they render. */
export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data;
}

/** The type keeps this complete. */
const RANK: Record<Role, number> = { viewer: 1, operator: 2, researcher: 3, admin: 4 };

export function roleAllows(held: Role, minimum: Role): boolean {
  return RANK[held] >= RANK[minimum];
}

export const signIn = (
  credential: { username: string; password: string } | { api_key: string } | { sign_in_token: string },
) => request<Answer<Session>>('POST', SESSION, { body: credential }).then(({ data }) => data);

export const signOut = () => request<void>('DELETE', SESSION);
