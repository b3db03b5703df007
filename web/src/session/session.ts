import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { ApiError, api } from '../api/client.ts';
import { queryKeys } from '../api/queries.ts';
import type { Answer, Role, Session } from '../api/types.ts';

/** Fetches the session. Throws the usual error for unauthenticated requests when nobody is signed in. */
export async function fetchSession(): Promise<Session> {
  const { data } = await api.get<Answer<Session | null>>('/app/session');
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
) => api.post<Answer<Session>>('/app/session', credential).then(({ data }) => data);

export const signOut = () => api.delete('/app/session');
