import { BookOpen, FileText, type LucideIcon, Newspaper, Podcast, SquarePlay } from 'lucide-react';
import type { MediaKind } from '../api/types.ts';

export const KIND_NAMES: Record<MediaKind, { label: string; icon: LucideIcon }> = {
  web_article: { label: 'Article', icon: Newspaper },
  video: { label: 'Video', icon: SquarePlay },
  pdf: { label: 'PDF', icon: FileText },
  epub: { label: 'Book', icon: BookOpen },
  podcast_episode: { label: 'Podcast', icon: Podcast },
};

export const KINDS = Object.keys(KIND_NAMES) as MediaKind[];
