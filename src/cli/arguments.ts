import { z } from 'zod';

/** Checks a command's arguments against the schema of the API. */
export function parseArguments<T extends z.ZodType>(schema: T, given: unknown): z.output<T> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new Error(z.prettifyError(parsed.error));
}
