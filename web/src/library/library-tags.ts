import { dataQuery, queryKeys } from '../api/queries.ts';
import type { LibraryTag } from '../api/types.ts';

/** The first tags of a shared library by name, for the filters. */
export const libraryTagsQuery = (libraryId: string) => ({
  ...dataQuery<LibraryTag[]>(queryKeys.libraryTags(libraryId), `/libraries/${libraryId}/tags`, {
    limit: 200,
  }),
  staleTime: 60_000,
});
