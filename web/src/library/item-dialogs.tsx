import { lazy, Suspense, useEffect } from 'react';
import { createStore, useStore } from '../api/store.ts';
import type { Media } from '../api/types.ts';

export type ItemDialogKind = 'provenance' | 'attempts' | 'title' | 'add';

const ItemDialog = lazy(() => import('./item-dialog.tsx'));
const shown = createStore<{ kind: ItemDialogKind; media: Media } | undefined>(undefined);

/** Shows why the viewer sees a media. */
export const explain = (media: Media) => shown.set({ kind: 'provenance', media });
/** Shows the processing attempts of a media. */
export const showAttempts = (media: Media) => shown.set({ kind: 'attempts', media });

/** Offers all libraries that a media can be added to. */
export const addToLibrary = (media: Media) => shown.set({ kind: 'add', media });
/** Edits the title of a media. */
export const editTitle = (media: Media) => shown.set({ kind: 'title', media });

const close = () => shown.set(undefined);

/** The dialog about one media. It is outside of lists, whose rows unmount while scrolling. */
export function ItemDialogs() {
  const current = useStore(shown);
  useEffect(() => close, []);
  return <Suspense>{current && <ItemDialog {...current} onClose={close} />}</Suspense>;
}
