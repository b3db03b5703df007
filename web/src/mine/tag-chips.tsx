import './tags.css';
import { Link } from '@tanstack/react-router';
import { Archive, Star } from 'lucide-react';
import type { Media } from '../api/types.ts';
import { titleOf } from '../library/format.ts';

/** In lists, this many tags are shown, and one less on narrow screens. */
const MOST_IN_LISTS = 3;
/** Names with more characters are shortened first. */
const LONG = 12;

interface TagChipsProps {
  media: Media;
  /** In lists, only the first tags are shown. */
  all?: boolean;
  /** Whether a tag filters the list that is shown; otherwise it leads to the list of the tag. */
  filters?: boolean;
}

/** The tags of a media as links, and the number of those that are not shown. */
export function TagChips({ media, all = false, filters = false }: TagChipsProps) {
  const { tags } = media.mine;
  const most = all ? tags.length : MOST_IN_LISTS;
  if (tags.length === 0) return null;
  return (
    <ul className="tag-chips" aria-label={`Tags of ${titleOf(media)}`}>
      {tags.slice(0, most).map((tag, index) => (
        <li key={tag} data-long={tag.length > LONG} data-wide={!all && index === most - 1}>
          {filters ? (
            <Link to="." search={(now) => ({ ...now, tag })} className="tag-chip truncate" dir="auto">
              {tag}
            </Link>
          ) : (
            <Link to="/tagged" search={{ tag }} className="tag-chip truncate" dir="auto">
              {tag}
            </Link>
          )}
        </li>
      ))}
      <More tags={tags.slice(most)} screen="wide" />
      <More tags={all ? [] : tags.slice(most - 1)} screen="narrow" />
    </ul>
  );
}

function More({ tags, screen }: { tags: readonly string[]; screen: 'wide' | 'narrow' }) {
  if (tags.length === 0) return null;
  return (
    <li className="tag-more" data-screen={screen} title={tags.join(', ')}>
      +{tags.length}
      <span className="visually-hidden"> more tags</span>
    </li>
  );
}

/** Icons of a media that is a favourite or archived. */
export function Marks({ media: { mine } }: { media: Media }) {
  if (!mine.is_favourite && !mine.is_archived) return null;
  return (
    <span className="media-marks">
      {mine.is_favourite && <Star size={14} role="img" aria-label="Favourite" className="mark-favourite" />}
      {mine.is_archived && <Archive size={14} role="img" aria-label="Archived" />}
    </span>
  );
}
