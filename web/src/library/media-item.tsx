import { Link } from '@tanstack/react-router';
import { RotateCcw } from 'lucide-react';
import { memo } from 'react';
import type { ListedMedia, Media } from '../api/types.ts';
import { TagChips } from '../mine/tag-chips.tsx';
import { Button } from '../ui/button.tsx';
import { useMediaActions } from './actions.ts';
import { Cover } from './cover.tsx';
import { stageOf, titleOf } from './format.ts';
import { MediaMenu } from './media-menu.tsx';
import { MetaLine, NoteLine, ReadingState } from './media-summary.tsx';
import { type LibraryRef, mayRemove } from './removals.ts';

export interface MediaItemProps {
  media: ListedMedia;
  index: number;
  isSelected: boolean;
  removeFrom: LibraryRef | undefined;
  onSelect: (media: Media, isSelected: boolean, withRange: boolean) => void;
}

/** A media as a row of the list. */
export const MediaRow = memo(function MediaRow(props: MediaItemProps) {
  const { media, isSelected } = props;
  return (
    <article
      className="media-row"
      data-selected={isSelected}
      data-failed={stageOf(media) === 'failed'}
      data-read={media.reading?.finished_at != null}
    >
      <Cover media={media} look="thumb" />
      <Check {...props} />
      <div className="media-text">
        <Title {...props} />
        <MetaLine media={media} />
        <div className="media-last">
          <TagChips media={media} filters />
          <NoteLine media={media} />
        </div>
      </div>
      <Actions {...props} />
    </article>
  );
});

/** A media as a card of the grid. */
export const MediaCard = memo(function MediaCard(props: MediaItemProps) {
  const { media, isSelected } = props;
  return (
    <article
      className="media-card"
      data-selected={isSelected}
      data-failed={stageOf(media) === 'failed'}
      data-read={media.reading?.finished_at != null}
    >
      <Cover media={media} look="card" />
      <Check {...props} />
      <TagChips media={media} filters />
      <div className="media-card-body">
        <Title {...props} />
        <NoteLine media={{ ...media, description: null }} />
        <MetaLine media={{ ...media, published: null }} />
        <div className="media-card-foot">
          <Actions {...props} />
        </div>
      </div>
    </article>
  );
});

function Title({ media, index }: MediaItemProps) {
  const isUnread = media.reading === null && stageOf(media) === 'ready';
  return (
    <h2 className="media-heading">
      <Link
        to="/read/$mediaId"
        params={{ mediaId: media.id }}
        className="media-title media-title-row"
        data-index={index}
      >
        {isUnread && (
          <span className="unread-dot">
            <span className="visually-hidden">Unread: </span>
          </span>
        )}
        <span className="media-title-text">{titleOf(media)}</span>
      </Link>
    </h2>
  );
}

function Check({ media, isSelected, onSelect }: MediaItemProps) {
  return (
    <span className="media-check">
      <input
        type="checkbox"
        className="checkbox"
        aria-label={`Select ${titleOf(media)}`}
        checked={isSelected}
        onChange={() => {}}
        onClick={(event) => onSelect(media, !isSelected, event.shiftKey)}
      />
    </span>
  );
}

function Actions({ media, isSelected, removeFrom, onSelect }: MediaItemProps) {
  return (
    <span className="media-actions">
      <ReadingState media={media} />
      <RetryButton media={media} />
      <MediaMenu
        media={media}
        removeFrom={removeFrom && mayRemove(media, removeFrom) ? removeFrom : undefined}
        tagIn={removeFrom?.isDefault === false ? removeFrom : undefined}
        onSelect={() => onSelect(media, !isSelected, false)}
      />
    </span>
  );
}

function RetryButton({ media }: { media: Media }) {
  const actions = useMediaActions();
  if (!media.may_retry || stageOf(media) !== 'failed') return null;
  return (
    <Button
      size="small"
      icon={RotateCcw}
      aria-label={`Retry ${titleOf(media)}`}
      onClick={() => void actions.retry(media)}
    >
      <span className="button-word">Retry</span>
    </Button>
  );
}
