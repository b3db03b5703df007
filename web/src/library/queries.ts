import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { dataQuery, onlyForId, queryKeys } from '../api/queries.ts';
import type {
  Fragment,
  FragmentEntry,
  Invitation,
  LaidOutFragment,
  Library,
  ListPage,
  MediaAttempt,
  MediaWithOutline,
} from '../api/types.ts';
import { mayAddTo } from './roles.ts';

export const librariesQuery = dataQuery<Library[]>(queryKeys.libraries(), '/libraries', { limit: 200 });

/** The shared libraries that the person may add to. */
export const writableLibrariesQuery = {
  ...librariesQuery,
  select: (libraries: Library[]) => libraries.filter((library) => mayAddTo(library) && !library.is_default),
};

export const invitationsQuery = dataQuery<Invitation[]>(queryKeys.myInvitations(), '/libraries/invites', {
  limit: 200,
});

export const mediaQuery = (id: string) =>
  onlyForId(id, dataQuery<MediaWithOutline>(queryKeys.oneMedia(id), `/media/${id}`));

export const attemptsQuery = (id: string) =>
  dataQuery<MediaAttempt[]>(queryKeys.attempts(id), `/media/${id}/attempts`);

/** Fragments never change, so they are refetched only when access may have changed. */
const NEVER_STALE = { staleTime: Number.POSITIVE_INFINITY };

/** All fragments of a media, page by page: those of an article or a transcript are shown together. */
export const fragmentsQuery = (id: string) =>
  queryOptions({
    queryKey: queryKeys.allFragments(id),
    queryFn: async ({ signal }) => {
      const all: Fragment[] = [];
      for (let cursor: string | undefined; ; ) {
        const query = { limit: 200, cursor };
        const { data, page } = await api.get<ListPage<Fragment>>(`/media/${id}/fragments`, query, signal);
        all.push(...data);
        if (page.next_cursor === null) return all;
        cursor = page.next_cursor;
      }
    },
    ...NEVER_STALE,
  });

/** The titles and lengths of all fragments, without their text. */
export const fragmentIndexQuery = (id: string) => ({
  ...dataQuery<FragmentEntry[]>(queryKeys.fragmentIndex(id), `/media/${id}/fragments/index`),
  ...NEVER_STALE,
});

/** One fragment: a chapter of a book. */
export const fragmentQuery = (id: string, idx: number) => ({
  ...dataQuery<LaidOutFragment>(queryKeys.fragment(id, idx), `/media/${id}/fragments/${idx}`),
  ...NEVER_STALE,
});
