import { z } from 'zod';
import { timestamp } from './wire.ts';

const MAX_POSITION_BYTES = 2048;

/** The progress of a person in a media. Null means unread. */
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
  position: z
    .unknown()
    .refine(
      (given) => new TextEncoder().encode(JSON.stringify(given)).length <= MAX_POSITION_BYTES,
      `must have at most ${MAX_POSITION_BYTES} bytes of JSON`,
    )
    .optional()
    .describe('The exact position, in a format that only the client knows.'),
  finished: z.boolean().optional().describe('Unchanged when it is not given.'),
});
export type UpdateReading = z.output<typeof updateReading>;
