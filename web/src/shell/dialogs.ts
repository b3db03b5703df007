import { createStore } from '../api/store.ts';

/** The dialogs that can be opened from every page. */
type DialogName = 'save' | 'new-library' | 'shortcuts' | 'palette';

/** The dialog that is open. */
export const shownDialog = createStore<DialogName | undefined>(undefined);
export const showDialog = (name: DialogName) => shownDialog.set(name);
export const hideDialog = () => shownDialog.set(undefined);
