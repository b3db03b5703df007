import { createStore, useStore } from '../api/store.ts';

/** The highlight that is opened in the side panel. */
interface CurrentHighlight {
  id: string | undefined;
  /** Whether its note is being written. */
  isEditing: boolean;
  /** Whether it was opened in the text. The page then stays there, also if the passage begins in another chapter. */
  isFromText: boolean;
  /** Whether its card is on the screen, so that the text can be scrolled to where the panel does not cover it. */
  hasCard: boolean;
}

const store = createStore<CurrentHighlight>({
  id: undefined,
  isEditing: false,
  isFromText: false,
  hasCard: false,
});

export const useCurrentHighlight = (): CurrentHighlight => useStore(store);

export function openHighlight(id: string | undefined, { isEditing = false, isFromText = false } = {}): void {
  store.set((before) => ({ id, isEditing, isFromText, hasCard: before.hasCard && before.id === id }));
}

/** Called by the card of the opened highlight when it appears and when it goes. */
export function noteCard(id: string, hasCard: boolean): void {
  if (store.get().id === id) store.set((before) => ({ ...before, hasCard }));
}
