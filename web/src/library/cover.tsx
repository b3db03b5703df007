import { TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import type { Media } from '../api/types.ts';
import { KIND_NAMES, siteOf, stageOf } from './format.ts';

interface CoverProps {
  media: Media;
  look: 'thumb' | 'card';
}

/**
 * The cover: a small file of it or, when there is none or it cannot be loaded, the image itself. Without either, a
 * placeholder.
 */
export function Cover({ media, look }: CoverProps) {
  const [broken, setBroken] = useState<ReadonlySet<string>>(new Set());
  const thumbnail = media.thumbnail_urls?.[look === 'thumb' ? 'small' : 'large'];
  const url = [thumbnail, media.cover_url].find((address) => address && !broken.has(address));
  if (!url) return <Placeholder media={media} look={look} />;
  return (
    <img
      // A new element, so that a late error of the previous image is not handled as an error of this one.
      key={url}
      className={`cover cover-${look}`}
      src={url}
      alt=""
      loading="lazy"
      decoding="async"
      onError={() => setBroken(new Set(broken).add(url))}
    />
  );
}

const TINTS = 6;

/** Picks a tint by site, always the same one. */
function tintOf(text: string): number {
  let hash = 2166136261;
  for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 16777619);
  return ((hash >>> 8) & 0xffff) % TINTS;
}

/** The description or initial on a tinted background. */
function Placeholder({ media, look }: CoverProps) {
  const { label, icon: Icon } = KIND_NAMES[media.kind];
  if (stageOf(media) === 'failed') {
    return (
      <span className={`cover cover-${look} cover-plain cover-failed`} aria-hidden>
        <TriangleAlert size={look === 'thumb' ? 20 : 28} />
      </span>
    );
  }
  const site = siteOf(media) ?? label;
  const letter = site.replace(/^the /i, '')[0]?.toUpperCase();
  const isArticle = media.kind === 'web_article' && letter !== undefined && /\p{L}/u.test(letter);
  return (
    <span className={`cover cover-${look} cover-plain cover-tint-${tintOf(site)}`} aria-hidden>
      {look === 'card' && media.description ? (
        <span className="cover-title" dir="auto">
          {media.description}
        </span>
      ) : isArticle ? (
        <span className="cover-letter">{letter}</span>
      ) : (
        <Icon size={look === 'thumb' ? 22 : 32} />
      )}
    </span>
  );
}
