import { useSyncExternalStore } from 'react';
import { type Shortcut, useShortcuts } from '../keyboard/shortcuts.ts';

export const TABS = ['analysis', 'related'] as const;
export type BesideTab = (typeof TABS)[number];

/** Whether the panel beside the text is open, and what it shows. Kept from document to document, in this tab. */
interface Beside {
  isOpen: boolean;
  tab: BesideTab;
}

const KEY = 'nexus.beside';

function read(): Beside {
  try {
    const known: Partial<Beside> = JSON.parse(sessionStorage.getItem(KEY) ?? '{}');
    return {
      isOpen: known.isOpen === true,
      tab: TABS.find((tab) => tab === known.tab) ?? 'analysis',
    };
  } catch {
    return { isOpen: false, tab: 'analysis' };
  }
}

let current = read();
let isFocusDue = false;
const watchers = new Set<() => void>();

export function changeBeside(change: Partial<Beside>): void {
  // Only who opens it is taken there: it also opens by itself, with the next document.
  isFocusDue = change.isOpen === true;
  current = { ...current, ...change };
  sessionStorage.setItem(KEY, JSON.stringify(current));
  for (const watcher of watchers) watcher();
}

/** True once after somebody has opened the panel. */
export function takeFocusDue(): boolean {
  const isDue = isFocusDue;
  isFocusDue = false;
  return isDue;
}

function subscribe(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

export function useBesideState(): Beside {
  return useSyncExternalStore(subscribe, () => current);
}

/** Opens and closes the panel, with the keyboard too. Used behind the reader's own shortcuts, its Escape goes first. */
export function useBeside(): { isOpen: boolean; toggle: () => void } {
  const { isOpen } = useBesideState();
  const toggle = () => changeBeside({ isOpen: !isOpen });
  const close: Shortcut = { keys: 'Escape', label: 'Close the panel', group: 'Reader', run: toggle };
  useShortcuts([
    { keys: 'a', label: 'Analysis and related', group: 'Reader', run: toggle },
    ...(isOpen ? [close] : []),
  ]);
  return { isOpen, toggle };
}
