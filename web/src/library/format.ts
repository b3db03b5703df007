import { BookOpen, FileText, type LucideIcon, Newspaper, Podcast, SquarePlay } from 'lucide-react';
import type { Media, MediaKind } from '../api/types.ts';

/** The person's own title of a media or, without one, the common title. */
export const titleOf = ({ mine, title }: Pick<Media, 'mine' | 'title'>) => mine.title ?? title;

export function lengthOf({ reading_minutes, page_count, kind }: Media): string | undefined {
  if (page_count !== null && kind === 'pdf') return `${page_count} ${page_count === 1 ? 'page' : 'pages'}`;
  if (reading_minutes === null) return undefined;
  if (reading_minutes < 60) return `${Math.max(1, reading_minutes)} min`;
  return `${Math.floor(reading_minutes / 60)} h ${reading_minutes % 60} min`;
}

/** The reading time that is left: `12 min left`. Undefined when it is unknown, or as good as nothing. */
export function minutesLeft({ reading, reading_minutes }: Media): string | undefined {
  if (!reading || !reading_minutes) return undefined;
  const left = Math.round(reading_minutes * (1 - reading.progress));
  if (left < 1) return undefined;
  return left < 60 ? `${left} min left` : `${Math.floor(left / 60)} h ${left % 60} min left`;
}

export function siteOf({ site, canonical_url, requested_url }: Media): string | undefined {
  if (site) return site;
  const url = canonical_url ?? requested_url;
  return url && URL.canParse(url) ? new URL(url).host.replace(/^www\./, '') : undefined;
}

export const KIND_NAMES: Record<MediaKind, { label: string; icon: LucideIcon }> = {
  web_article: { label: 'Article', icon: Newspaper },
  video: { label: 'Video', icon: SquarePlay },
  pdf: { label: 'PDF', icon: FileText },
  epub: { label: 'Book', icon: BookOpen },
  podcast_episode: { label: 'Podcast', icon: Podcast },
};

export const KINDS = Object.keys(KIND_NAMES) as MediaKind[];

/** The processing state of a media as readers see it. */
type Stage = 'queued' | 'unavailable' | 'working' | 'ready' | 'failed';

export function stageOf({ kind, processing_status, capabilities, last_error_code }: Media): Stage {
  if (processing_status === 'pending') return kind === 'podcast_episode' ? 'unavailable' : 'queued';
  if (processing_status === 'extracting') return 'working';
  if (processing_status === 'failed') {
    const isReadable = capabilities.can_read && last_error_code !== null;
    return isReadable ? 'ready' : 'failed';
  }
  return 'ready';
}

export const STAGE_LABELS: Record<Stage, string> = {
  queued: 'Queued',
  unavailable: 'Queued (not supported yet)',
  working: 'Fetching and processing',
  ready: 'Ready',
  failed: 'Failed',
};
