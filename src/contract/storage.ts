import { z } from 'zod';

/** The storage that a person uses, and their limit. */
export const storageUse = z.object({
  used_bytes: z.number().int(),
  allowed_bytes: z.number().int().nullable().describe('Null: no limit.'),
});
export type StorageUse = z.output<typeof storageUse>;
