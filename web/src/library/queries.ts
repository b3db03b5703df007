import { dataQuery, queryKeys } from '../api/queries.ts';
import type { Fragment, Invitation, Library, MediaAttempt, MediaWithOutline } from '../api/types.ts';

export const librariesQuery = dataQuery<Library[]>(queryKeys.libraries(), '/libraries', { limit: 200 });

/** The shared libraries that the person may add to. */
export const writableLibrariesQuery = {
  ...librariesQuery,
  select: (libraries: Library[]) =>
    libraries.filter(({ role, is_default }) => role === 'admin' && !is_default),
};

export const invitationsQuery = dataQuery<Invitation[]>(queryKeys.myInvitations(), '/libraries/invites', {
  limit: 200,
});

export const mediaQuery = (id: string) => dataQuery<MediaWithOutline>(queryKeys.oneMedia(id), `/media/${id}`);

export const attemptsQuery = (id: string) =>
  dataQuery<MediaAttempt[]>(queryKeys.attempts(id), `/media/${id}/attempts`);

/** The fragments of a media. They never change, so they are refetched only when access may have changed. */
export const fragmentsQuery = (id: string) => ({
  ...dataQuery<Fragment[]>(queryKeys.fragments(id), `/media/${id}/fragments`),
  staleTime: Number.POSITIVE_INFINITY,
});
