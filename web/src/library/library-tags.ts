import { useQueryClient } from '@tanstack/react-query';
import { api, errorMessage } from '../api/client.ts';
import { dataQuery, invalidate, queryKeys } from '../api/queries.ts';
import type { LibraryTag, ListedMedia } from '../api/types.ts';
import { showToast } from '../ui/toasts.tsx';
import type { LibraryRef } from './removals.ts';

/** The first tags of a shared library by name, for the filters. */
export const libraryTagsQuery = (libraryId: string) => ({
  ...dataQuery<LibraryTag[]>(queryKeys.libraryTags(libraryId), `/libraries/${libraryId}/tags`, {
    limit: 200,
  }),
  staleTime: 60_000,
});

/** Sets the tags that a library gives a media, with Undo. Errors are shown as toasts. */
export function useSetLibraryTags() {
  const queryClient = useQueryClient();

  async function set(libraryId: string, mediaId: string, tags: readonly string[]): Promise<boolean> {
    try {
      await api.patch(`/libraries/${libraryId}/media/${mediaId}`, { tags });
      return true;
    } catch (error) {
      showToast(errorMessage(error));
      return false;
    } finally {
      await invalidate(queryClient, queryKeys.mediaLists(), queryKeys.libraryTags(libraryId));
    }
  }

  return async (media: ListedMedia, { libraryId, name }: LibraryRef, tags: readonly string[]) => {
    const before = media.library_tags ?? [];
    if (!(await set(libraryId, media.id, tags))) return;
    showToast(`Changed the tags in ${name}`, {
      action: { label: 'Undo', run: () => void set(libraryId, media.id, before) },
    });
  };
}
