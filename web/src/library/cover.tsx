import type { Media } from '../api/types.ts';
import { KIND_NAMES } from './kinds.ts';
import { siteOf } from './words.ts';

const TINTS = 6;

/** The same site always gets the same tint. */
function tintOf(text: string): number {
  let sum = 0;
  for (const char of text) sum = (sum * 31 + (char.codePointAt(0) ?? 0)) % 9973;
  return sum % TINTS;
}

/** The cover, or in its place the beginning of the title on a tint of its site. */
export function Cover({ media, look }: { media: Media; look: 'thumb' | 'card' }) {
  const { label, icon: Icon } = KIND_NAMES[media.kind];
  if (media.cover_url) {
    return (
      <img className={`cover cover-${look}`} src={media.cover_url} alt="" loading="lazy" decoding="async" />
    );
  }
  const site = siteOf(media) ?? label;
  return (
    <span className={`cover cover-${look} cover-plain cover-tint-${tintOf(site)}`} aria-hidden>
      {look === 'thumb' ? <Icon size={20} /> : <span className="cover-title">{media.title}</span>}
    </span>
  );
}
