import { z } from 'zod';

/** How much somebody has stored, and their limit. */
export const storageUse = z.object({
  used_bytes: z.number().int(),
  /** Null means no limit. */
  allowed_bytes: z.number().int().nullable(),
});
export type StorageUse = z.output<typeof storageUse>;
export const storageUseAnswer = z.object({ data: storageUse });
