import { z } from 'zod';

/** How much storage a person uses, and how much they may use. */
export const storageUse = z.object({
  used_bytes: z.number().int(),
  /** Null: no limit. */
  allowed_bytes: z.number().int().nullable(),
});
export type StorageUse = z.output<typeof storageUse>;
export const storageUseAnswer = z.object({ data: storageUse });
