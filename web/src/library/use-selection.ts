import { useCallback, useEffect, useRef, useState } from 'react';
import type { Media } from '../api/types.ts';

/**
 * The selected media of a list. With Shift, the range since the last click is selected. `isAll`: everything that the list
 * contains, including what is not loaded. Other filters (`listKey`) end the selection.
 */
export function useSelection(items: readonly Media[], listKey: string) {
  const [selected, setSelected] = useState<ReadonlyMap<string, Media>>(new Map());
  const [isAll, setAll] = useState(false);
  const latest = useRef(items);
  latest.current = items;
  const anchor = useRef<string>(undefined);

  const select = useCallback((media: Media, isSelected: boolean, withRange: boolean) => {
    const index = (id: string | undefined) => latest.current.findIndex((item) => item.id === id);
    const [from, to] = [index(anchor.current), index(media.id)].toSorted((a, b) => a - b);
    const range =
      withRange && from !== undefined && to !== undefined && from >= 0
        ? latest.current.slice(from, to + 1)
        : [media];
    anchor.current = media.id;
    // Deselecting one item of all keeps the loaded ones selected.
    setAll(false);
    setSelected((current) => {
      const next = new Map(current);
      for (const item of range) {
        if (isSelected) next.set(item.id, item);
        else next.delete(item.id);
      }
      return next;
    });
  }, []);
  const clear = useCallback(() => {
    setAll(false);
    setSelected(new Map());
  }, []);
  /** Selects everything that is loaded and, if `total` is more than that, everything else as well. */
  const selectAll = useCallback((total: number) => {
    setSelected(new Map(latest.current.map((item) => [item.id, item])));
    setAll(total > latest.current.length);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other filters list other items
  useEffect(() => clear(), [listKey, clear]);
  return { selected, isAll, select, selectAll, clear };
}
