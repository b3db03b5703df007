/** One line of what somebody brings along, before it is known whether it is a link. */
export interface Entry {
  /** Empty for what is none: a note, an image. */
  url: string;
  /** Milliseconds since 1970. */
  savedAt?: number | undefined;
  folder?: string | undefined;
  tags?: string[] | undefined;
}

/** What a file turned out to be. */
export interface Recognised {
  format: string;
  entries: Entry[];
}

/** A file that cannot be read, in a sentence that says what to do. */
export class UnreadableFile extends Error {}

/** Seconds or milliseconds, as a number or as digits, or a date in words. */
export function momentOf(value: unknown): number | undefined {
  const number = typeof value === 'number' ? value : /^\d+$/.test(String(value)) ? Number(value) : undefined;
  if (number !== undefined) {
    if (number <= 0 || number >= 1e14) return undefined;
    return number < 1e11 ? number * 1000 : number;
  }
  // Readwise writes a space in place of the T, and microseconds.
  const parsed = Date.parse(
    String(value ?? '').replace(/^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.\d+)?/, '$1T$2'),
  );
  return Number.isNaN(parsed) ? undefined : parsed;
}

/** Texts, whatever they came as. */
export function textsOf(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value
    .map((one) => (typeof one === 'object' && one !== null ? (one as { name?: unknown }).name : one))
    .filter((one): one is string => typeof one === 'string' && one.trim() !== '')
    .map((one) => one.trim());
}
