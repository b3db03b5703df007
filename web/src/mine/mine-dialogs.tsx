import { lazy, Suspense, useEffect } from 'react';
import { createStore, useStore } from '../api/store.ts';
import type { ListedMedia, Media } from '../api/types.ts';
import type { WholeList } from '../library/bulk.ts';
import type { LibraryRef } from '../library/removals.ts';

type Shown =
  | {
      kind: 'tags';
      media: readonly ListedMedia[];
      whole: WholeList | undefined;
      library?: LibraryRef;
    }
  | { kind: 'note'; media: Media };

const TagDialog = lazy(() => import('./tag-dialog.tsx'));
const NoteDialog = lazy(() => import('./note-dialog.tsx'));
const shown = createStore<Shown | undefined>(undefined);

/** Edits the tags of media or, with `whole`, of everything that a list contains. */
export const editTags = (media: readonly ListedMedia[], whole?: WholeList) => {
  if (media.length > 0) shown.set({ kind: 'tags', media, whole });
};
/** Edits the tags that a shared library gives media or, with `whole`, everything that a list contains. */
export const editLibraryTags = (media: readonly ListedMedia[], library: LibraryRef, whole?: WholeList) => {
  if (media.length > 0) shown.set({ kind: 'tags', media, whole, library });
};
/** Shows and edits the note of a media. */
export const showNote = (media: Media) => shown.set({ kind: 'note', media });

const close = () => shown.set(undefined);

/** The dialogs about tags and notes. */
export function MineDialogs() {
  const current = useStore(shown);
  useEffect(() => close, []);
  return (
    <Suspense>
      {current?.kind === 'tags' && <TagDialog {...current} onClose={close} />}
      {current?.kind === 'note' && <NoteDialog media={current.media} onClose={close} />}
    </Suspense>
  );
}
