import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { queryKeys } from '../api/query-keys.ts';
import type { Answer, Invitation, Library, Listing, MediaWithOutline } from '../api/types.ts';

export const librariesQuery = queryOptions({
  queryKey: queryKeys.libraries(),
  queryFn: ({ signal }) =>
    api.get<Listing<Library>>('/libraries', { limit: 200 }, signal).then(({ data }) => data),
});

/** The shared libraries that the person may add to. */
export const writableLibrariesQuery = {
  ...librariesQuery,
  select: (libraries: Library[]) =>
    libraries.filter(({ role, is_default }) => role === 'admin' && !is_default),
};

export const invitationsQuery = queryOptions({
  queryKey: queryKeys.myInvitations(),
  queryFn: ({ signal }) =>
    api.get<Listing<Invitation>>('/libraries/invites', { limit: 200 }, signal).then(({ data }) => data),
});

export const mediaQuery = (id: string) =>
  queryOptions({
    queryKey: queryKeys.oneMedia(id),
    queryFn: ({ signal }) =>
      api.get<Answer<MediaWithOutline>>(`/media/${id}`, undefined, signal).then(({ data }) => data),
  });
