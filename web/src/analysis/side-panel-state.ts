import { createStore, useStore } from '../api/store.ts';
import { type Shortcut, useShortcuts } from '../keyboard/shortcuts.ts';

export const TABS = ['highlights', 'analysis', 'related'] as const;
type SidePanelTab = (typeof TABS)[number];

/** Kept in this browser tab from document to document. */
interface SidePanelState {
  isOpen: boolean;
  tab: SidePanelTab;
}

const KEY = 'nexus.side-panel';
const sidePanelStore = createStore(read());
let isFocusDue = false;

function read(): SidePanelState {
  try {
    const known: Partial<SidePanelState> = JSON.parse(sessionStorage.getItem(KEY) ?? '{}');
    return {
      isOpen: known.isOpen === true,
      tab: TABS.find((tab) => tab === known.tab) ?? 'highlights',
    };
  } catch {
    return { isOpen: false, tab: 'highlights' };
  }
}

interface ChangeOptions {
  /** Whether the focus moves to the panel. Only if the person opens it, not if it opens with a document or a highlight. */
  takesFocus?: boolean;
}

export function changeSidePanel(change: Partial<SidePanelState>, { takesFocus = false }: ChangeOptions = {}) {
  isFocusDue = takesFocus;
  const next = { ...sidePanelStore.get(), ...change };
  sessionStorage.setItem(KEY, JSON.stringify(next));
  sidePanelStore.set(next);
}

/** Returns true once after the person has opened the panel. */
export function takeFocusDue(): boolean {
  const isDue = isFocusDue;
  isFocusDue = false;
  return isDue;
}

export const useSidePanelState = (): SidePanelState => useStore(sidePanelStore);

/** Opens and closes the panel. Called after the reader's own shortcuts, so that Escape closes the panel first. */
export function useSidePanel(): { isOpen: boolean; toggle: () => void } {
  const { isOpen } = useSidePanelState();
  const toggle = () => changeSidePanel({ isOpen: !isOpen }, { takesFocus: !isOpen });
  const close: Shortcut = { keys: 'Escape', label: 'Close panel', group: 'Reader', run: toggle };
  useShortcuts([
    { keys: 'a', label: 'Highlights and analysis', group: 'Reader', run: toggle },
    ...(isOpen ? [close] : []),
  ]);
  return { isOpen, toggle };
}
