import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import type { Answer, Role, Session } from '../api/types.ts';

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: () => api.get<Answer<Session>>('/app/session').then(({ data }) => data),
  staleTime: 60_000,
});

/** Who is signed in. Pages behind the sign-in have it before they are drawn. */
export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data;
}

/** The type keeps this equal to the contract's roles. */
const RANK: Record<Role, number> = { viewer: 1, operator: 2, researcher: 3, admin: 4 };

export function roleAllows(held: Role, minimum: Role): boolean {
  return RANK[held] >= RANK[minimum];
}

export const signIn = (
  credential: { username: string; password: string } | { api_key: string } | { sign_in_token: string },
) => api.post<Answer<Session>>('/app/session', credential).then(({ data }) => data);

export const signOut = () => api.delete('/app/session');
