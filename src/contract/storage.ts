import { z } from 'zod';

/** How much somebody has stored, and how much they may. */
export const storageUse = z.object({
  used_bytes: z.number().int(),
  /** Null: as much as they like. */
  allowed_bytes: z.number().int().nullable(),
});
export type StorageUse = z.output<typeof storageUse>;
export const storageUseAnswer = z.object({ data: storageUse });
