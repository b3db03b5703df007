import { useWindowVirtualizer } from '@tanstack/react-virtual';
import {
  type RefObject,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import type { ListedMedia, Media } from '../api/types.ts';
import { Skeleton } from '../ui/states.tsx';
import type { View } from './filters.tsx';
import { MediaCard, type MediaItemProps, MediaRow } from './media-item.tsx';

/** Pixels; library.css has the same heights. */
const ROW_HEIGHT = 96;
const CARD_ROW_HEIGHT = 280;
const CARD_WIDTH = 250;
/** The next page is fetched this many items before the end of the loaded ones. */
const AHEAD = 120;

export interface VirtualMediaHandle {
  focus: (index: number) => void;
}

interface VirtualMediaProps {
  /** The loaded items; the rest, up to `total`, is shown as skeletons. */
  items: readonly ListedMedia[];
  total: number;
  view: View;
  selected: ReadonlyMap<string, Media>;
  /** Whether everything is selected, including what is not loaded. */
  isAllSelected: boolean;
  removeFrom: MediaItemProps['removeFrom'];
  onSelect: MediaItemProps['onSelect'];
  onNeedMore: () => void;
  handle: RefObject<VirtualMediaHandle | null>;
}

/** A virtual list: only the visible rows are in the DOM. */
export function VirtualMedia(props: VirtualMediaProps) {
  const { items, total, view, selected, isAllSelected, removeFrom, onSelect, onNeedMore, handle } = props;
  const frame = useRef<HTMLDivElement>(null);
  const columns = useColumns(frame, view);
  const [offset, setOffset] = useState(0);
  // The parts above the list come and go: pending saves, and items to continue.
  useLayoutEffect(() => {
    const measure = () => setOffset(frame.current?.offsetTop ?? 0);
    measure();
    const observer = new ResizeObserver(measure);
    if (frame.current?.parentElement) observer.observe(frame.current.parentElement);
    return () => observer.disconnect();
  }, []);

  const virtualizer = useWindowVirtualizer({
    getItemKey: useCallback((row) => items[row * columns]?.id ?? row, [items, columns]),
    count: Math.ceil(total / columns),
    estimateSize: () => (view === 'list' ? ROW_HEIGHT : CARD_ROW_HEIGHT),
    overscan: view === 'list' ? 8 : 3,
    scrollMargin: offset,
    // Keeps scroll targets clear of the sticky bars.
    scrollPaddingStart: 120,
    scrollPaddingEnd: 80,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: row heights depend on the view
  useEffect(() => virtualizer.measure(), [view, virtualizer]);

  const rows = virtualizer.getVirtualItems();
  const lastIndex = ((rows.at(-1)?.index ?? 0) + 1) * columns;
  useEffect(() => {
    if (items.length < total && lastIndex + AHEAD > items.length) onNeedMore();
  }, [items.length, total, lastIndex, onNeedMore]);

  useImperativeHandle(handle, () => ({
    focus(index) {
      virtualizer.scrollToIndex(Math.floor(index / columns));
      const find = () => frame.current?.querySelector<HTMLElement>(`[data-index="${index}"]`);
      const now = find();
      if (now) now.focus({ preventScroll: true });
      // The row is rendered after the scrolling that was just started.
      else requestAnimationFrame(() => requestAnimationFrame(() => find()?.focus({ preventScroll: true })));
    },
  }));

  const Item = view === 'list' ? MediaRow : MediaCard;
  return (
    <div
      ref={frame}
      className={`virtual-list ${selected.size > 0 ? 'is-selecting' : ''}`}
      style={{ height: virtualizer.getTotalSize() }}
    >
      {rows.map((row) => (
        <div
          key={row.key}
          className={`virtual-row ${view === 'grid' ? 'media-grid-row' : ''}`}
          style={{ transform: `translateY(${row.start - offset}px)`, ['--columns' as string]: columns }}
        >
          {Array.from({ length: columns }, (_, column) => {
            const index = row.index * columns + column;
            const media = items[index];
            if (index >= total) return null;
            if (!media) return <ItemSkeleton key={`empty-${index}`} view={view} />;
            return (
              <Item
                key={media.id}
                media={media}
                index={index}
                isSelected={isAllSelected || selected.has(media.id)}
                removeFrom={removeFrom}
                onSelect={onSelect}
              />
            );
          })}
        </div>
      ))}
    </div>
  );
}

export function ItemSkeleton({ view }: { view: View }) {
  if (view === 'grid') {
    return (
      <div className="media-card">
        <Skeleton height="9.5rem" />
        <div className="media-card-body">
          <Skeleton width="80%" />
        </div>
      </div>
    );
  }
  return (
    <div className="media-row">
      <Skeleton width="4rem" height="4rem" />
      <div className="media-text stack">
        <Skeleton width="60%" height="1.1rem" />
        <Skeleton width="35%" height="0.8rem" />
      </div>
    </div>
  );
}

/** The number of cards that fit next to each other. */
function useColumns(frame: RefObject<HTMLDivElement | null>, view: View): number {
  const [columns, setColumns] = useState(1);
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element || view === 'list') return setColumns(1);
    const measure = () => setColumns(Math.max(1, Math.min(6, Math.floor(element.clientWidth / CARD_WIDTH))));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [frame, view]);
  return columns;
}
