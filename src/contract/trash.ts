import { z } from 'zod';
import { media } from './media.ts';
import { page, timestamp } from './wire.ts';

/** `purge_at`: from when on it is deleted for good. */
export const trashedMedia = media.extend({ trashed_at: timestamp, purge_at: timestamp });
export type TrashedMedia = z.output<typeof trashedMedia>;
export const trashList = z.object({ data: z.array(trashedMedia), page });
export type TrashList = z.output<typeof trashList>;

export const removeMediaQuery = z.object({
  permanently: z.stringbool({ truthy: ['true'], falsy: ['false'] }).default(false),
});
