import './tags.css';
import { Link } from '@tanstack/react-router';
import { Archive, Star } from 'lucide-react';
import type { Media } from '../api/types.ts';
import { titleOf } from '../library/format.ts';

interface TagChipsProps {
  media: Media;
  most?: number;
  /** Whether a tag filters the list that is shown; otherwise it leads to the list of the tag. */
  filters?: boolean;
}

/** The first tags of a media as links, and the number of the others. */
export function TagChips({ media, most = 3, filters = false }: TagChipsProps) {
  const { tags } = media.mine;
  if (tags.length === 0) return null;
  const others = tags.slice(most);
  return (
    <ul className="tag-chips" aria-label={`Tags of ${titleOf(media)}`}>
      {tags.slice(0, most).map((tag) => (
        <li key={tag}>
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
      {others.length > 0 && (
        <li className="tag-more" title={others.join(', ')}>
          +{others.length}
          <span className="visually-hidden"> more tags</span>
        </li>
      )}
    </ul>
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
