import './highlights.css';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { changeSidePanel } from '../analysis/side-panel-state.ts';
import type { MediaWithOutline } from '../api/types.ts';
import { useHighlightActions } from './actions.ts';
import { openHighlight, useCurrentHighlight } from './current-highlight.ts';
import { usePaintedHighlights } from './painted.ts';
import { chaptersQuery, mediaHighlightsQuery } from './queries.ts';
import { SelectionBar } from './selection-bar.tsx';

interface ReaderHighlightsProps {
  media: MediaWithOutline;
  /** The highlight that the address names. */
  visitedId: string | undefined;
  /** Called before the page scrolls to a highlight. */
  onLeave: () => void;
}

/** Highlights in the text of the reader: painted, opened by a click, and made from a selection. */
export default function ReaderHighlights({ media, visitedId, onLeave }: ReaderHighlightsProps) {
  const query = useQuery(mediaHighlightsQuery(media.id));
  const { data: chapters } = useQuery(chaptersQuery(media));
  const actions = useHighlightActions(media.id);
  const { id: currentId, hasCard, isFromText } = useCurrentHighlight();
  const current = query.data?.find(({ id }) => id === currentId);

  // A link to a highlight opens it. It stays open when the address changes, as it does when the person reads on.
  useEffect(() => {
    if (visitedId === undefined) return;
    openHighlight(visitedId);
    changeSidePanel({ isOpen: true, tab: 'highlights' });
  }, [visitedId]);
  // The highlight is closed with its document.
  useEffect(() => () => openHighlight(undefined), []);

  usePaintedHighlights({
    mediaId: media.id,
    passages: query.data,
    chapters,
    currentId,
    isToShow: hasCard,
    isFromText,
    onOpen: (id) => {
      openHighlight(id, { isFromText: true });
      changeSidePanel({ isOpen: true, tab: 'highlights' });
    },
    onLeave,
  });
  return (
    <SelectionBar
      media={media}
      chapters={chapters}
      actions={actions}
      own={current?.is_mine ? current : undefined}
    />
  );
}
