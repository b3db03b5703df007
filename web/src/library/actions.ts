import { useQueryClient } from '@tanstack/react-query';
import { api, errorMessage } from '../api/client.ts';
import { invalidate, queryKeys } from '../api/queries.ts';
import type { Library, Media, Reading, UpdateReading } from '../api/types.ts';
import { showToast } from '../ui/toasts.tsx';
import { patchMedia, refreshMedia } from './media-list.ts';

/** Null means unread. */
type WrittenReading = UpdateReading | null;

function asItWas({ reading }: Media): WrittenReading {
  if (!reading) return null;
  const { progress, position, finished_at } = reading;
  return { progress, finished: finished_at !== null, ...(position !== null && { position }) };
}

/** The actions on media. Each shows a toast when it fails. */
export function useMediaActions() {
  const queryClient = useQueryClient();

  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      showToast(errorMessage(error));
    }
  }

  async function write(media: readonly Media[], readingOf: (item: Media) => WrittenReading): Promise<void> {
    await Promise.all(
      media.map(async (item) => {
        const path = `/media/${item.id}/reading`;
        const written = readingOf(item);
        const reading = written ? await api.putData<Reading>(path, written) : null;
        if (!written) await api.delete(path);
        patchMedia(queryClient, { id: item.id, reading });
      }),
    );
    void queryClient.invalidateQueries({ queryKey: queryKeys.libraries() });
  }

  /** Undo restores the previous state of each item. */
  const mark = (media: readonly Media[], as: string, readingOf: (item: Media) => WrittenReading) =>
    attempt(async () => {
      await write(media, readingOf);
      showToast(`Marked ${media.length === 1 ? '' : `${media.length} items `}as ${as}`, {
        action: { label: 'Undo', run: () => void attempt(() => write(media, asItWas)) },
      });
    });

  return {
    retry: (media: Media) =>
      attempt(async () => {
        await api.post(`/media/${media.id}/retry`);
        await refreshMedia(queryClient, media.id);
      }),

    finish: (media: readonly Media[], finished = true) =>
      mark(media, finished ? 'finished' : 'not finished', ({ reading }) => ({
        progress: finished ? 1 : Math.min(reading?.progress ?? 0, 0.99),
        finished,
      })),

    unread: (media: readonly Media[]) => mark(media, 'unread', () => null),

    addTo: (library: Library, media: readonly Media[]) =>
      attempt(async () => {
        const added = await Promise.all(
          media.map(async ({ id }) => {
            const { created } = await api.postData<{ created: boolean }>(`/libraries/${library.id}/media`, {
              media_id: id,
            });
            return created ? [id] : [];
          }),
        );
        const ids = added.flat();
        void invalidate(queryClient, queryKeys.mediaLists(), queryKeys.libraries());
        if (ids.length === 0) return showToast(`Already in ${library.name}`);
        showToast(`Added to ${library.name}`, {
          action: {
            label: 'Undo',
            run: () =>
              void attempt(async () => {
                await Promise.all(ids.map((id) => api.delete(`/libraries/${library.id}/media/${id}`)));
                await invalidate(queryClient, queryKeys.mediaLists());
              }),
          },
        });
      }),
  };
}
