import { useCallback, useRef, useState } from 'react';
import type { Media } from '../api/types.ts';

/** The selected media of a list. With Shift, the range since the last click is selected. */
export function useSelection(items: readonly Media[]) {
  const [selected, setSelected] = useState<ReadonlyMap<string, Media>>(new Map());
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
    setSelected((current) => {
      const next = new Map(current);
      for (const item of range) {
        if (isSelected) next.set(item.id, item);
        else next.delete(item.id);
      }
      return next;
    });
  }, []);
  const clear = useCallback(() => setSelected(new Map()), []);
  const selectAll = useCallback(
    () => setSelected(new Map(latest.current.map((item) => [item.id, item]))),
    [],
  );
  return { selected, select, selectAll, clear };
}
