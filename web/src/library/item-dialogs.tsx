import { createContext, lazy, type ReactNode, Suspense, useContext, useMemo, useState } from 'react';
import type { Media } from '../api/types.ts';

const ProvenanceDialog = lazy(() => import('./provenance-dialog.tsx'));
const AttemptsDialog = lazy(() => import('./attempts-dialog.tsx'));

interface ItemDialogs {
  /** Shows why the viewer sees a media. */
  explain: (media: Media) => void;
  /** Shows the processing attempts of a media. */
  showAttempts: (media: Media) => void;
}

const Context = createContext<ItemDialogs>({ explain: () => {}, showAttempts: () => {} });

export function useItemDialogs(): ItemDialogs {
  return useContext(Context);
}

/** The dialogs about one media. They are outside of lists, whose rows unmount while scrolling. */
export function ItemDialogsProvider({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<{ kind: 'provenance' | 'attempts'; media: Media }>();
  const close = () => setShown(undefined);
  const dialogs = useMemo(
    (): ItemDialogs => ({
      explain: (media) => setShown({ kind: 'provenance', media }),
      showAttempts: (media) => setShown({ kind: 'attempts', media }),
    }),
    [],
  );
  return (
    <Context value={dialogs}>
      {children}
      <Suspense>
        {shown?.kind === 'provenance' && <ProvenanceDialog media={shown.media} onClose={close} />}
        {shown?.kind === 'attempts' && <AttemptsDialog media={shown.media} onClose={close} />}
      </Suspense>
    </Context>
  );
}
