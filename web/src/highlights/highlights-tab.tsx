import { useQuery } from '@tanstack/react-query';
import { Highlighter } from 'lucide-react';
import type { Highlight, MediaWithOutline } from '../api/types.ts';
import { EmptyState, Pending, SkeletonText } from '../ui/states.tsx';
import { useHighlightActions } from './actions.ts';
import { openHighlight, useCurrentHighlight } from './current-highlight.ts';
import { HighlightCard } from './highlight-card.tsx';
import { chaptersQuery, mediaHighlightsQuery } from './queries.ts';

/** The highlights of a document, in the order of its text. */
export function HighlightsTab({ media }: { media: MediaWithOutline }) {
  const query = useQuery(mediaHighlightsQuery(media.id));
  const chapters = useQuery(chaptersQuery(media));
  const actions = useHighlightActions(media.id);
  const { id: currentId, isEditing } = useCurrentHighlight();
  const highlights = query.data;
  const headingOf = (one: Highlight) => {
    const { fragment_idx } = one.target;
    if (media.kind === 'pdf') return `Page ${fragment_idx + 1}`;
    return chapters.data?.find(({ idx }) => idx === fragment_idx)?.title ?? undefined;
  };
  return (
    <>
      <Pending query={query}>
        <SkeletonText lines={6} />
      </Pending>
      {highlights?.length === 0 && (
        <EmptyState icon={Highlighter} title="No highlights yet">
          Select text to highlight it. You can add a note, and share it with the people of a library.
        </EmptyState>
      )}
      <div className="highlight-list">
        {highlights?.map((one, place) => {
          const heading = headingOf(one);
          const before = highlights[place - 1];
          const isNew = heading && (!before || headingOf(before) !== heading);
          return (
            <div key={one.id} className="stack">
              {isNew && <h3 className="highlight-chapter">{heading}</h3>}
              <HighlightCard
                key={`${one.id}${one.id === currentId && isEditing}`}
                highlight={one}
                actions={actions}
                isCurrent={one.id === currentId}
                isEditing={one.id === currentId && isEditing}
                onOpen={() => openHighlight(one.id === currentId ? undefined : one.id)}
              />
            </div>
          );
        })}
      </div>
    </>
  );
}
