import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { queryKeys } from '../api/query-keys.ts';
import type { Invitation, Listing, Member, Person, RemovalPreview } from '../api/types.ts';

export const membersQuery = (libraryId: string) =>
  queryOptions({
    queryKey: queryKeys.members(libraryId),
    queryFn: () =>
      api.get<Listing<Member>>(`/libraries/${libraryId}/members`, { limit: 200 }).then(({ data }) => data),
  });

export const pendingQuery = (libraryId: string) =>
  queryOptions({
    queryKey: queryKeys.invitations(libraryId),
    queryFn: () =>
      api
        .get<Listing<Invitation>>(`/libraries/${libraryId}/invites`, { status: 'pending', limit: 200 })
        .then(({ data }) => data),
  });

export const removalPreviewQuery = (libraryId: string, userId: string) =>
  queryOptions({
    queryKey: queryKeys.removalPreview(libraryId, userId),
    queryFn: () =>
      api.get<RemovalPreview>(`/libraries/${libraryId}/members/${userId}/removal-preview`, { limit: 50 }),
    staleTime: 0,
  });

export const peopleQuery = (prefix: string) =>
  queryOptions({
    queryKey: queryKeys.people(prefix),
    queryFn: () => api.get<{ data: Person[] }>('/users', { prefix }).then(({ data }) => data),
    enabled: prefix.length >= 2,
    staleTime: 30_000,
  });
