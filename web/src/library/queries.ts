import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import type { Answer, Invitation, Library, Listing, MediaWithOutline } from '../api/types.ts';

const PULSE_MS = 5000;

/**
 * Also the pulse of the app: who is removed from a library hears nothing of it on the event stream, since from then on
 * it is none of their business. Asking for the list now and then tells.
 */
export const librariesQuery = queryOptions({
  queryKey: ['libraries'],
  queryFn: ({ signal }) =>
    api.get<Listing<Library>>('/libraries', { limit: 200 }, signal).then(({ data }) => data),
  refetchInterval: PULSE_MS,
});

export const invitationsQuery = queryOptions({
  queryKey: ['invitations', 'mine'],
  queryFn: ({ signal }) =>
    api.get<Listing<Invitation>>('/libraries/invites', { limit: 200 }, signal).then(({ data }) => data),
  refetchInterval: 30_000,
});

export const mediaQuery = (id: string) =>
  queryOptions({
    queryKey: ['media', 'one', id],
    queryFn: ({ signal }) =>
      api.get<Answer<MediaWithOutline>>(`/media/${id}`, undefined, signal).then(({ data }) => data),
  });
