import { useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { invalidate, queryKeys } from '../api/queries.ts';
import type { Library, Media, Reading, UpdateReading } from '../api/types.ts';
import { attempt } from '../ui/attempt.ts';
import { plural } from '../ui/numbers.ts';
import { showToast } from '../ui/toasts.tsx';
import { changeAll, changeMany, type Outcome, type WholeList } from './bulk.ts';
import { dropFromLists, patchMedia, refreshMedia } from './media-list.ts';
import type { LibraryRef } from './removals.ts';

/** Null means unread. */
type WrittenReading = UpdateReading | null;
type ReadingAction = 'finish' | 'unfinish' | 'unread';

const DONE: Record<ReadingAction, string> = {
  finish: 'finished',
  unfinish: 'not finished',
  unread: 'unread',
};

/** The reading state that each action writes. */
const READING: Record<ReadingAction, (media: Media) => WrittenReading> = {
  finish: () => ({ progress: 1, finished: true }),
  unfinish: ({ reading }) => ({ progress: Math.min(reading?.progress ?? 0, 0.99), finished: false }),
  unread: () => null,
};

function asItWas({ reading }: Pick<Media, 'reading'>): WrittenReading {
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

  /** Lists keep items that were marked, so that Undo can restore them. "Continue reading" has to be fetched again. */
  const refetchAfterReading = () =>
    void invalidate(queryClient, queryKeys.continueReading(), queryKeys.libraries());

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
    refetchAfterReading();
  }

  async function writeMany(action: ReadingAction, media: readonly Media[]): Promise<void> {
    await changeMany({ action }, idsOf(media));
    for (const item of media) patchMedia(queryClient, { id: item.id, reading: readingAfter(action, item) });
    refetchAfterReading();
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

  /** Shows a toast with an Undo that changes back exactly what was changed. */
  function offerUndo(text: string, { changed }: Outcome, undo: () => Promise<unknown>): void {
    const run = () =>
      void attempt(async () => {
        await undo();
        await refetchLists();
      });
    showToast(text, changed > 0 ? { action: { label: 'Undo', run } } : {});
  }

  function offerUndoOfAdding(done: Outcome, { id, name }: Library, isOne: boolean): void {
    if (done.changed === 0) {
      showToast(`Already in ${name}`);
      return;
    }
    offerUndo(`Added ${isOne ? '' : `${plural(done.changed, 'item')} `}to ${name}`, done, () =>
      changeMany({ action: 'remove', library_id: id }, changedIds(done)),
    );
  }

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
        const done = await changeMany({ action: 'add', library_id: library.id }, idsOf(media));
        void invalidate(queryClient, queryKeys.mediaLists(), queryKeys.libraries());
        offerUndoOfAdding(done, library, media.length === 1);
      }),

    /** Marks everything that a list contains. */
    markAll: (list: WholeList, action: ReadingAction) =>
      attempt(async () => {
        const done = await changeAll({ action }, list);
        await refetchLists();
        const text = `Marked ${plural(done.changed, 'item')} as ${DONE[action]}`;
        const begun = done.changed_media.filter(({ reading }) => reading !== null);
        if (begun.length > MOST_PLACES) return showToast(`${text}. This cannot be undone.`);
        offerUndo(text, done, () => restoreReadings(done));
      }),

    addAllTo: (list: WholeList, library: Library) =>
      attempt(async () => {
        const done = await changeAll({ action: 'add', library_id: library.id }, list);
        await refetchLists();
        offerUndoOfAdding(done, library, false);
      }),

    removeAll: (list: WholeList, library: LibraryRef) =>
      attempt(async () => {
        const done = await changeAll({ action: 'remove', library_id: library.libraryId }, list);
        dropFromLists(queryClient, library.libraryId, changedIds(done));
        await refetchLists();
        const text = `Removed ${plural(done.changed, 'item')} from ${library.name}`;
        offerUndo(text, done, () => putBack(done, library));
      }),
  };
}

const idsOf = (media: readonly Media[]) => media.map(({ id }) => id);
const changedIds = ({ changed_media }: Outcome) => changed_media.map(({ media_id }) => media_id);

/** The most places that Undo restores: each is a request. */
const MOST_PLACES = 200;
const PARALLEL = 6;

/** Restores the reading progress of media as it was before a bulk action. */
async function restoreReadings({ changed_media }: Outcome): Promise<void> {
  const unread = changed_media.filter(({ reading }) => reading === null).map(({ media_id }) => media_id);
  await changeMany({ action: 'unread' }, unread);
  const begun = changed_media.values();
  const restoreNext = async () => {
    for (const { media_id, reading } of begun)
      if (reading) await api.putData(`/media/${media_id}/reading`, asItWas({ reading }));
  };
  await Promise.all(Array.from({ length: PARALLEL }, restoreNext));
}

/** Puts removed media back: from the trash or, if the person still has them otherwise, by adding them again. */
async function putBack(done: Outcome, { libraryId }: LibraryRef): Promise<void> {
  const restored = new Set(changedIds(await changeMany({ action: 'restore' }, changedIds(done))));
  const others = changedIds(done).filter((id) => !restored.has(id));
  await changeMany({ action: 'add', library_id: libraryId }, others);
}
