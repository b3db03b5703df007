import { z } from 'zod';
import { media } from './media.ts';
import { id, timestamp } from './wire.ts';

export const trashedMedia = media.extend({
  trashed_at: timestamp,
  purge_at: timestamp.describe('When it will be permanently deleted.'),
  library: z
    .object({ id, name: z.string() })
    .nullable()
    .describe("The shared library that it would be restored to; null for the person's default library."),
});
export type TrashedMedia = z.output<typeof trashedMedia>;

export const removeMediaQuery = z.object({
  permanently: z
    .stringbool({ truthy: ['true'], falsy: ['false'] })
    .default(false)
    .describe('`true` deletes it at once, without the trash.'),
});
