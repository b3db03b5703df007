import './tags.css';
import { Link } from '@tanstack/react-router';
import { Archive, Star, UsersRound } from 'lucide-react';
import type { ListedMedia, Media } from '../api/types.ts';
import { titleOf } from '../library/format.ts';

/** In lists, this many tags are shown, and one less on narrow screens. */
const MOST_IN_LISTS = 3;
/** Names with more characters are shortened first. */
const LONG = 12;

interface TagChipsProps {
  media: ListedMedia;
  /** In lists, only the first tags are shown. */
  all?: boolean;
  /** Whether a tag filters the list that is shown; otherwise it leads to the list of the tag. */
  filters?: boolean;
}

interface Chip {
  name: string;
  isOfLibrary: boolean;
}

/** The tags of a media as links, those of the listed library first, and the number of those that are not shown. */
export function TagChips({ media, all = false, filters = false }: TagChipsProps) {
  const chips: Chip[] = [
    ...(media.library_tags ?? []).map((name) => ({ name, isOfLibrary: true })),
    ...media.mine.tags.map((name) => ({ name, isOfLibrary: false })),
  ];
  const most = all ? chips.length : MOST_IN_LISTS;
  if (chips.length === 0) return null;
  return (
    <ul className="tag-chips" aria-label={`Tags of ${titleOf(media)}`}>
      {chips.slice(0, most).map((chip, index) => (
        <li
          key={`${chip.isOfLibrary} ${chip.name}`}
          data-long={chip.name.length > LONG}
          data-wide={!all && index === most - 1}
        >
          <TagLink {...chip} filters={filters} />
        </li>
      ))}
      <More chips={chips.slice(most)} screen="wide" />
      <More chips={all ? [] : chips.slice(most - 1)} screen="narrow" />
    </ul>
  );
}

function TagLink({ name, isOfLibrary, filters }: Chip & { filters: boolean }) {
  if (isOfLibrary) {
    return (
      <Link
        to="."
        search={(now) => ({ ...now, library_tag: name })}
        className="tag-chip"
        data-of="library"
        title={`${name}: a tag of this library, which all members see`}
      >
        <UsersRound size={12} aria-hidden />
        <span className="truncate" dir="auto">
          {name}
        </span>
        <span className="visually-hidden"> (library tag)</span>
      </Link>
    );
  }
  return filters ? (
    <Link to="." search={(now) => ({ ...now, tag: name })} className="tag-chip truncate" dir="auto">
      {name}
    </Link>
  ) : (
    <Link to="/tagged" search={{ tag: name }} className="tag-chip truncate" dir="auto">
      {name}
    </Link>
  );
}

function More({ chips, screen }: { chips: readonly Chip[]; screen: 'wide' | 'narrow' }) {
  if (chips.length === 0) return null;
  return (
    <li className="tag-more" data-screen={screen} title={chips.map(({ name }) => name).join(', ')}>
      +{chips.length}
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
