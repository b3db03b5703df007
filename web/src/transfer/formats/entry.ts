import type { z } from 'zod';
import type { HighlightColor } from '../../../../src/contract/highlight-selectors.ts';
import type { importedDetails } from '../../../../src/contract/import.ts';

/** The details of a link, as the server takes them. */
export type Details = z.input<typeof importedDetails>;
export type EntryHighlight = NonNullable<Details['highlights']>[number];
export type EntryReading = NonNullable<Details['reading']>;

/** An entry of an imported file, before its link is checked and its texts are fitted to the limits of Nexus. */
export interface Entry extends Omit<Details, 'is_favourite' | 'is_archived'> {
  /** Empty for entries without a link, such as notes. */
  url: string;
  /** Milliseconds since 1970. */
  savedAt?: number | undefined;
  /** A folder that the person made. It can become a tag. */
  folder?: string | undefined;
  /** A list of the program itself, such as its archive. */
  state?: string | undefined;
  is_favourite?: boolean | undefined;
  is_archived?: boolean | undefined;
}

/** A file whose format was recognised. */
export interface Recognised {
  format: string;
  entries: Entry[];
}

/** A file that cannot be read. The message says what to do. */
export class UnreadableFile extends Error {}

/** Reads one of several files. Its name is part of the message when it cannot be read. */
export function withFileName<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof UnreadableFile ? new UnreadableFile(`${name}: ${error.message}`) : error;
  }
}

/** A date and time as ISO 8601 has it, with a space in place of the T, microseconds, or a zone without a colon. */
const ISO_LIKE =
  /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)\d*\s*(Z|UTC|[+-]\d\d(?::?\d\d)?)?$/i;

/** Parses a date that is given as a number or as text. */
export function parseDate(value: unknown): number | undefined {
  if (typeof value === 'number') return dateOfNumber(value);
  const text = textOf(value);
  if (/^\d+(\.\d+)?$/.test(text)) return dateOfNumber(Number(text));
  // Without a year, a browser takes almost any text for a date.
  if (!/\d{4}/.test(text)) return undefined;
  const parsed = Date.parse(text.replace(ISO_LIKE, isoDate));
  return Number.isNaN(parsed) || parsed > LATEST ? undefined : parsed;
}

/** Not every browser reads what is like ISO 8601. */
function isoDate(_text: string, day: string, time: string, zone = ''): string {
  const [, hours = '', minutes = '00'] = /^([+-]\d\d):?(\d\d)?$/.exec(zone) ?? [];
  return `${day}T${time}${hours ? `${hours}:${minutes}` : zone && 'Z'}`;
}

/** The end of year 9999. The server takes no later date. */
const LATEST = 253_402_300_799_999;

/** Between 1601, where Chrome begins to count, and 1970, in milliseconds. */
const CHROME_EPOCH = 11_644_473_600_000;

/** Programs count seconds, milliseconds or microseconds since 1970; Chrome counts microseconds since 1601. */
function dateOfNumber(number: number): number | undefined {
  // A smaller number is rather a year or a day, such as 20240301.
  if (!(number >= 1e8) || number >= 3e16) return undefined;
  if (number < 1e11) return Math.round(number * 1000);
  if (number < 1e14) return Math.round(number);
  return Math.round(number < 1e16 ? number / 1000 : number / 1000 - CHROME_EPOCH);
}

/** A date as the server takes it. */
export function momentOf(value: unknown): string | undefined {
  const parsed = parseDate(value);
  const year = parsed === undefined ? 0 : new Date(parsed).getUTCFullYear();
  return parsed !== undefined && year >= 1 ? new Date(parsed).toISOString() : undefined;
}

/** Returns the strings of a list, or the names of its objects. */
export function textsOf(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value
    .map((one) => (typeof one === 'object' && one !== null ? (one as { name?: unknown }).name : one))
    .filter((one): one is string => typeof one === 'string' && one.trim() !== '')
    .map((one) => one.trim());
}

/** Returns tags that are given as a list, or as one text with commas. */
export function tagsIn(value: unknown): string[] {
  return typeof value === 'string' ? textsOf(value.split(',')) : textsOf(value);
}

export const textOf = (value: unknown) => (typeof value === 'string' ? value.trim() : '');

/** A highlight of another program; undefined without a quote. */
export function highlightOf(
  quote: unknown,
  given: { note?: unknown; color?: unknown; created?: unknown; prefix?: unknown; suffix?: unknown } = {},
): EntryHighlight | undefined {
  const exact = textOf(quote);
  if (exact === '') return undefined;
  const context = (value: unknown) => (typeof value === 'string' ? value : '');
  const selector = {
    type: 'TextQuoteSelector' as const,
    exact,
    prefix: context(given.prefix),
    suffix: context(given.suffix),
  };
  return {
    target: { fragment_idx: 0, selector: [selector] },
    color: colorOf(given.color),
    note: textOf(given.note) || undefined,
    created_at: momentOf(given.created),
  };
}

/** The highlights that have a quote. */
export function highlightsOf(given: (EntryHighlight | undefined)[]): EntryHighlight[] {
  return given.filter((one) => one !== undefined);
}

const COLORS: Record<HighlightColor, string> = {
  yellow: 'yellow orange brown gold',
  green: 'green lime teal',
  blue: 'blue cyan indigo sky',
  pink: 'pink red rose',
  purple: 'purple violet magenta',
};

/** The colour of Nexus that is like the one that a program names. */
function colorOf(name: unknown): HighlightColor {
  const wanted = textOf(name).toLowerCase();
  const found = Object.entries(COLORS).find(([, names]) => names.split(' ').includes(wanted));
  return (found?.[0] as HighlightColor | undefined) ?? 'yellow';
}

/**
 * Reading progress, from 0 to 1; undefined for what was not begun. Programs do not say when something was read. It is dated
 * like the link, so that an import does not fill the list of what was read last.
 */
export function readingOf(progress: number, savedAt: number | undefined): EntryReading | undefined {
  if (!(progress > 0)) return undefined;
  const moment = momentOf(savedAt) ?? new Date().toISOString();
  return {
    progress: Math.min(progress, 1),
    finished_at: progress >= 1 ? moment : null,
    updated_at: moment,
  };
}
