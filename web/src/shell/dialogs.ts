import { createContext, useContext } from 'react';

/** The dialogs that can be opened from every page. */
export type DialogName = 'save' | 'new-library' | 'shortcuts' | 'palette';

export interface Dialogs {
  shown: DialogName | undefined;
  show: (name: DialogName) => void;
  hide: () => void;
}

export const DialogsContext = createContext<Dialogs>({ shown: undefined, show: () => {}, hide: () => {} });

export function useDialogs(): Dialogs {
  return useContext(DialogsContext);
}
