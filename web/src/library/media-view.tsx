import './library.css';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { FilterX } from 'lucide-react';
import { type ReactNode, useCallback, useMemo, useRef } from 'react';
import { useStore } from '../api/store.ts';
import { useShortcuts } from '../keyboard/shortcuts.ts';
import { useMineShortcuts } from '../mine/shortcuts.ts';
import { isListed } from '../mine/tag-tree.ts';
import { PendingSaves } from '../saving/pending-saves.tsx';
import { useSession } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { plural } from '../ui/numbers.ts';
import { EmptyState, Pending } from '../ui/states.tsx';
import { useMediaActions } from './actions.ts';
import { Filters, useViewChoice } from './filters.tsx';
import type { ListParams } from './list-params.ts';
import { mediaListQuery, PAGE_SIZE } from './media-list.ts';
import { hiddenIn, type LibraryRef, mayRemove, removalStore, removeWithUndo } from './removals.ts';
import { SelectionBar } from './selection-bar.tsx';
import { focusedIndex, useKeptFocus } from './use-kept-focus.ts';
import { useSelection } from './use-selection.ts';
import { ItemSkeleton, VirtualMedia, type VirtualMediaHandle } from './virtual-media.tsx';

interface MediaViewProps {
  libraryId: string;
  title: string;
  actions?: ReactNode;
  params: ListParams;
  /** The filter that defines the list itself: the archive, the favourites, a tag, a saved search. Clearing filters keeps it. */
  fixed?: ListParams;
  onParams: (params: ListParams) => void;
  /** The library that Remove removes from; undefined when the person may not. */
  removeFrom: LibraryRef | undefined;
  empty: ReactNode;
  /** Rendered above the unfiltered list, with the ids of the media that are being removed. */
  above?: (hidden: ReadonlySet<string>) => ReactNode;
}

/** A library's media with filters, sorting, selection and keyboard navigation. */
export function MediaView(props: MediaViewProps) {
  const { libraryId, title, actions: headActions, params, fixed, onParams, removeFrom, empty, above } = props;
  const listParams = useMemo(() => ({ ...params, ...fixed }), [params, fixed]);
  const { default_library_id } = useSession();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const actions = useMediaActions();
  const [view, setView] = useViewChoice();
  const list = useInfiniteQuery(mediaListQuery(libraryId, listParams));
  const removals = useStore(removalStore);
  const hidden = useMemo(() => hiddenIn(removals, libraryId), [removals, libraryId]);
  const loaded = useMemo(() => list.data?.pages.flatMap(({ data }) => data) ?? [], [list.data]);
  const items = useMemo(
    () => loaded.filter((media) => !hidden.has(media.id) && isListed(media, listParams)),
    [loaded, hidden, listParams],
  );
  // A search for a frequent word is not counted; then there is at least one more page.
  const counted = list.data?.pages.at(-1)?.page.total;
  const isUncounted = list.data !== undefined && counted === undefined && list.hasNextPage;
  const known = counted ?? loaded.length + (isUncounted ? PAGE_SIZE : 0);
  const total = list.data && Math.max(0, known - (loaded.length - items.length));
  const selection = useSelection(items, JSON.stringify(listParams));
  const whole = selection.isAll && total !== undefined ? { libraryId, params: listParams, total } : undefined;
  // The current versions of the selected items.
  const selected = useMemo(
    () => items.filter(({ id }) => selection.selected.has(id)),
    [items, selection.selected],
  );
  const handle = useRef<VirtualMediaHandle>(null);

  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const needMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);

  useKeptFocus(items, handle);
  const focused = () => items[focusedIndex() ?? -1];
  const moveFocus = (step: number) => {
    const from = focusedIndex();
    const to = from === undefined ? 0 : from + step;
    if (to >= 0 && to < items.length) handle.current?.focus(to);
  };
  const acting = () => (selected.length > 0 ? selected : [focused()].filter((item) => item !== undefined));
  /** Actions on everything are asked about, so the keys press the buttons of the bar. */
  const press = (name: string) =>
    document.querySelector<HTMLElement>(`.selection-bar [data-action="${name}"]`)?.click();

  const open = () => {
    const media = focused();
    if (media) void navigate({ to: '/read/$mediaId', params: { mediaId: media.id } });
  };
  const select = () => {
    const media = focused();
    if (media) selection.select(media, !selection.selected.has(media.id), false);
  };
  const finish = () => {
    if (whole) return press('finish');
    const media = acting();
    const isUnfinished = media.some(({ reading }) => !reading?.finished_at);
    if (media.length > 0) void actions.finish(media, isUnfinished);
  };
  const unread = () => {
    if (whole) return press('unread');
    const begun = acting().filter(({ reading }) => reading !== null);
    if (begun.length > 0) void actions.unread(begun);
  };
  const remove = () => {
    if (whole) return press('remove');
    const media = removeFrom ? acting().filter((item) => mayRemove(item, removeFrom)) : [];
    if (!removeFrom || media.length === 0) return;
    removeWithUndo(queryClient, media, removeFrom);
    selection.clear();
  };
  const switchView = () => setView(view === 'list' ? 'grid' : 'list');

  useShortcuts([
    { keys: 'j', label: 'Next', group: 'List', run: () => moveFocus(1) },
    { keys: 'k', label: 'Previous', group: 'List', run: () => moveFocus(-1) },
    { keys: 'o', label: 'Open', group: 'List', run: open },
    { keys: 'x', label: 'Select', group: 'List', run: select },
    { keys: 'e', label: 'Mark as finished or not finished', group: 'List', run: finish },
    { keys: 'u', label: 'Mark as unread', group: 'List', run: unread },
    { keys: '#', label: 'Remove', group: 'List', run: remove },
    { keys: 'v', label: 'Switch between list and grid', group: 'List', run: switchView },
    { keys: 'Escape', label: 'Clear selection', group: 'List', run: selection.clear },
  ]);

  useMineShortcuts('List', () => ({ media: acting(), whole, onWhole: press }));

  const isFiltered = Object.keys(params).some((name) => name !== 'sort' && name !== 'order');
  return (
    <div className="page page-list">
      <div className="list-head">
        <h1 className="page-title">{title}</h1>
        {total !== undefined && (
          <span className="list-count" role="status">
            {isUncounted ? `More than ${plural(items.length, 'item')}` : plural(total, 'item')}
          </span>
        )}
        {headActions}
      </div>
      {!isFiltered && above?.(hidden)}
      {(total !== 0 || isFiltered) && (
        <div className="list-bar">
          {selected.length > 0 ? (
            <SelectionBar
              selected={selected}
              total={total ?? 0}
              whole={whole}
              removeFrom={removeFrom}
              onSelectAll={() => selection.selectAll(total ?? 0)}
              onDone={selection.clear}
            />
          ) : (
            <Filters
              libraryId={libraryId}
              params={params}
              fixed={fixed}
              onChange={onParams}
              view={view}
              onView={setView}
            />
          )}
        </div>
      )}
      <PendingSaves libraryId={libraryId === default_library_id ? undefined : libraryId} items={items} />
      <Pending query={list}>
        <div aria-busy="true">
          {Array.from({ length: 6 }, (_, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: skeletons have no other key
            <ItemSkeleton key={index} view="list" />
          ))}
        </div>
      </Pending>
      {total === 0 && !isFiltered && empty}
      {total === 0 && isFiltered && (
        <EmptyState
          icon={FilterX}
          title="No items match these filters"
          actions={<Button onClick={() => onParams({})}>Clear filters</Button>}
        />
      )}
      {total !== undefined && total > 0 && (
        <VirtualMedia
          items={items}
          total={total}
          view={view}
          selected={selection.selected}
          isAllSelected={selection.isAll}
          removeFrom={removeFrom}
          onSelect={selection.select}
          onNeedMore={needMore}
          handle={handle}
        />
      )}
    </div>
  );
}
