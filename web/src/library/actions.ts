import { useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { sentenceOf } from '../api/error.ts';
import type { Answer, Library, Media, Reading, RetriedMedia } from '../api/types.ts';
import { showToast } from '../ui/toasts.ts';
import { patchMedia, refreshLists, refreshMedia } from './media-list.ts';
import { noteUnprocessable } from './stage.ts';

/** What can be done with media from wherever they are shown. Each tells the person when it does not work. */
export function useMediaActions() {
  const queryClient = useQueryClient();

  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      showToast(sentenceOf(error));
    }
  }

  async function setFinished(media: readonly Media[], finished: boolean): Promise<void> {
    await Promise.all(
      media.map(async (item) => {
        const progress = finished ? 1 : Math.min(item.reading?.progress ?? 0, 0.99);
        const { data } = await api.put<Answer<Reading>>(`/media/${item.id}/reading`, { progress, finished });
        patchMedia(queryClient, { ...item, reading: data });
      }),
    );
    void queryClient.invalidateQueries({ queryKey: ['libraries'] });
  }

  return {
    retry: (media: Media) =>
      attempt(async () => {
        const { data } = await api.post<Answer<RetriedMedia>>(`/media/${media.id}/retry`);
        noteUnprocessable(media.id, !data.enqueued);
        await refreshMedia(queryClient, media.id);
      }),

    finish: (media: readonly Media[], finished = true) =>
      attempt(async () => {
        await setFinished(media, finished);
        const what = media.length === 1 ? '' : `${media.length} items `;
        showToast(`Marked ${what}as ${finished ? 'finished' : 'not finished'}`, {
          action: { label: 'Undo', run: () => void attempt(() => setFinished(media, !finished)) },
        });
      }),

    addTo: (library: Library, media: readonly Media[]) =>
      attempt(async () => {
        const added = await Promise.all(
          media.map(async ({ id }) => {
            const { data } = await api.post<Answer<{ created: boolean }>>(`/libraries/${library.id}/media`, {
              media_id: id,
            });
            return data.created ? [id] : [];
          }),
        );
        const ids = added.flat();
        refreshLists(queryClient);
        void queryClient.invalidateQueries({ queryKey: ['libraries'] });
        if (ids.length === 0) return void showToast(`Already in ${library.name}`);
        showToast(`Added to ${library.name}`, {
          action: {
            label: 'Undo',
            run: () =>
              void attempt(async () => {
                await Promise.all(ids.map((id) => api.delete(`/libraries/${library.id}/media/${id}`)));
                refreshLists(queryClient);
              }),
          },
        });
      }),
  };
}
