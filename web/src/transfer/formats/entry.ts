/** An entry of an imported file, before its link is checked. */
export interface Entry {
  /** Empty for entries without a link, such as notes. */
  url: string;
  /** Milliseconds since 1970. */
  savedAt?: number | undefined;
  folder?: string | undefined;
  tags?: string[] | undefined;
}

/** A file whose format was recognised. */
export interface Recognised {
  format: string;
  entries: Entry[];
}

/** A file that cannot be read. The message says what to do. */
export class UnreadableFile extends Error {}

/** Parses a date that is given as seconds, milliseconds or text. */
export function parseDate(value: unknown): number | undefined {
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

/** Returns the strings of a list, or the names of its objects. */
export function textsOf(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value
    .map((one) => (typeof one === 'object' && one !== null ? (one as { name?: unknown }).name : one))
    .filter((one): one is string => typeof one === 'string' && one.trim() !== '')
    .map((one) => one.trim());
}
