import { z } from 'zod';
import { media } from './media.ts';
import { id, page, timestamp } from './wire.ts';

export const trashedMedia = media.extend({
  trashed_at: timestamp,
  /** When it will be deleted permanently. */
  purge_at: timestamp,
  /** The shared library that it is restored to; null for the default library. */
  library: z.object({ id, name: z.string() }).nullable(),
});
export type TrashedMedia = z.output<typeof trashedMedia>;
export const trashList = z.object({ data: z.array(trashedMedia), page });
export type TrashList = z.output<typeof trashList>;

export const removeMediaQuery = z.object({
  permanently: z.stringbool({ truthy: ['true'], falsy: ['false'] }).default(false),
});
