import { z } from 'zod';

/** The storage that a person uses, and their limit. */
export const storageUse = z.object({
  used_bytes: z.number().int(),
  /** Null: no limit. */
  allowed_bytes: z.number().int().nullable(),
});
export type StorageUse = z.output<typeof storageUse>;
export const storageUseAnswer = z.object({ data: storageUse });
