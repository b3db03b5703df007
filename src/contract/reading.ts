import { z } from 'zod';
import { timestamp } from './wire.ts';

const MOST_POSITION_BYTES = 2048;

/** How far somebody has read. Null means unread. */
export const readingProgress = z.object({
  progress: z.number(),
  position: z.unknown(),
  finished_at: timestamp.nullable(),
  updated_at: timestamp,
});
export type ReadingProgress = z.output<typeof readingProgress>;

export const readingState = z.enum(['unread', 'reading', 'finished']);
export type ReadingState = z.infer<typeof readingState>;

export const updateReading = z.strictObject({
  progress: z.number().min(0).max(1),
  /** The exact position, in a format of the client; stored unchanged. */
  position: z
    .unknown()
    .refine(
      (given) => new TextEncoder().encode(JSON.stringify(given)).length <= MOST_POSITION_BYTES,
      `takes at most ${MOST_POSITION_BYTES} bytes of JSON`,
    )
    .optional(),
  /** An absent value changes nothing. */
  finished: z.boolean().optional(),
});
export type UpdateReading = z.output<typeof updateReading>;

export const readingAnswer = z.object({ data: readingProgress });
