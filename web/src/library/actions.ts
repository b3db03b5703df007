import { useQueryClient } from '@tanstack/react-query';
import { api, errorMessage } from '../api/client.ts';
import { invalidate, queryKeys } from '../api/queries.ts';
import type { Library, Media, Reading, UpdateReading } from '../api/types.ts';
import { plural } from '../ui/numbers.ts';
import { showToast } from '../ui/toasts.tsx';
import { changeAll, changeMany, type WholeList } from './bulk.ts';
import { patchMedia, refreshMedia } from './media-list.ts';
import type { LibraryRef } from './removals.ts';

/** Null means unread. */
type WrittenReading = UpdateReading | null;
type ReadingAction = 'finish' | 'unfinish' | 'unread';

const DONE: Record<ReadingAction, string> = {
  finish: 'finished',
  unfinish: 'not finished',
  unread: 'unread',
};

/** What an action on one media writes. */
const READING: Record<ReadingAction, (media: Media) => WrittenReading> = {
  finish: () => ({ progress: 1, finished: true }),
  unfinish: ({ reading }) => ({ progress: Math.min(reading?.progress ?? 0, 0.99), finished: false }),
  unread: () => null,
};

function asItWas({ reading }: Media): WrittenReading {
  if (!reading) return null;
  const { progress, position, finished_at } = reading;
  return { progress, finished: finished_at !== null, ...(position !== null && { position }) };
}

/** The reading progress of a media after a bulk action, as the server has written it. */
function readingAfter(action: ReadingAction, { reading }: Media): Reading {
  if (action === 'unread') return null;
  const now = new Date().toISOString();
  if (action === 'finish') return { progress: 1, position: null, finished_at: now, updated_at: now };
  return reading && { ...reading, progress: Math.min(reading.progress, 0.99), finished_at: null };
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

  async function writeMany(action: ReadingAction, media: readonly Media[]): Promise<void> {
    await changeMany({ action }, idsOf(media));
    for (const item of media) patchMedia(queryClient, { id: item.id, reading: readingAfter(action, item) });
    void queryClient.invalidateQueries({ queryKey: queryKeys.libraries() });
  }

  /** Undo restores the previous state of each item. */
  const mark = (media: readonly Media[], action: ReadingAction) =>
    attempt(async () => {
      if (media.length === 1) await write(media, READING[action]);
      else await writeMany(action, media);
      showToast(`Marked ${media.length === 1 ? '' : `${plural(media.length, 'item')} `}as ${DONE[action]}`, {
        action: { label: 'Undo', run: () => void attempt(() => write(media, asItWas)) },
      });
    });

  const refetchLists = () =>
    invalidate(queryClient, queryKeys.mediaLists(), queryKeys.libraries(), queryKeys.trash());

  return {
    retry: (media: Media) =>
      attempt(async () => {
        await api.post(`/media/${media.id}/retry`);
        await refreshMedia(queryClient, media.id);
      }),

    retryMany: (media: readonly Media[]) =>
      attempt(async () => {
        await changeMany({ action: 'retry' }, idsOf(media));
        await refetchLists();
      }),

    finish: (media: readonly Media[], finished = true) => mark(media, finished ? 'finish' : 'unfinish'),

    unread: (media: readonly Media[]) => mark(media, 'unread'),

    addTo: (library: Library, media: readonly Media[]) =>
      attempt(async () => {
        const ids = idsOf(media);
        const { changed } = await changeMany({ action: 'add', library_id: library.id }, ids);
        void invalidate(queryClient, queryKeys.mediaLists(), queryKeys.libraries());
        if (changed === 0) return showToast(`Already in ${library.name}`);
        const undo = async () => {
          await changeMany({ action: 'remove', library_id: library.id }, ids);
          await invalidate(queryClient, queryKeys.mediaLists());
        };
        // Undo would also remove the items that were there before.
        const isUndoable = changed === ids.length;
        showToast(`Added ${ids.length === 1 ? '' : `${plural(changed, 'item')} `}to ${library.name}`, {
          ...(isUndoable && { action: { label: 'Undo', run: () => void attempt(undo) } }),
        });
      }),

    /** Marks everything that a list contains. There is no undo, so the person is asked first. */
    markAll: (list: WholeList, action: ReadingAction) =>
      attempt(async () => {
        const { changed } = await changeAll({ action }, list);
        await refetchLists();
        showToast(`Marked ${plural(changed, 'item')} as ${DONE[action]}`);
      }),

    addAllTo: (list: WholeList, library: Library) =>
      attempt(async () => {
        const { changed } = await changeAll({ action: 'add', library_id: library.id }, list);
        await refetchLists();
        showToast(`Added ${plural(changed, 'item')} to ${library.name}`);
      }),

    removeAll: (list: WholeList, { libraryId, name }: LibraryRef) =>
      attempt(async () => {
        const { changed } = await changeAll({ action: 'remove', library_id: libraryId }, list);
        await refetchLists();
        showToast(`Removed ${plural(changed, 'item')} from ${name}`);
      }),
  };
}

const idsOf = (media: readonly Media[]) => media.map(({ id }) => id);
