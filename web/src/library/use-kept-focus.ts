import { type RefObject, useEffect, useRef } from 'react';
import type { Media } from '../api/types.ts';
import { useWindowEvent } from '../ui/use-window-event.ts';
import type { VirtualMediaHandle } from './virtual-media.tsx';

/** The index of the focused item of the list. */
export function focusedIndex(): number | undefined {
  const index = document.activeElement?.closest<HTMLElement>('[data-index]')?.dataset.index;
  return index === undefined ? undefined : Number(index);
}

/** Focuses the next item when the focused one leaves the list, so that the keyboard goes on from there. */
export function useKeptFocus(items: readonly Media[], handle: RefObject<VirtualMediaHandle | null>): void {
  const focused = useRef<{ id: string; index: number }>(undefined);
  useWindowEvent('focusin', ({ target }) => {
    // The focus comes back from the menu of an item, and from a dialog.
    if (target instanceof Element && target.closest('[role="menu"], dialog')) return;
    const index = focusedIndex();
    const item = items[index ?? -1];
    focused.current = item && index !== undefined ? { id: item.id, index } : undefined;
  });
  useWindowEvent('pointerdown', () => {
    focused.current = undefined;
  });
  useEffect(() => {
    if (!focused.current || document.activeElement !== document.body || items.length === 0) return;
    const { id, index } = focused.current;
    const now = items.findIndex((item) => item.id === id);
    handle.current?.focus(now >= 0 ? now : Math.min(index, items.length - 1));
  }, [items, handle]);
}
