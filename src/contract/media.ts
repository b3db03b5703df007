import { z } from 'zod';
import { id, timestamp } from './wire.ts';

export const MEDIA_KINDS = ['web_article', 'video', 'pdf', 'epub', 'podcast_episode'] as const;
export const mediaKind = z.enum(MEDIA_KINDS);

export const media = z.object({
  id,
  kind: mediaKind,
  title: z.string(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type Media = z.output<typeof media>;
