import type { DateRange } from './tree.ts';

const DAY_MS = 86_400_000;
/** The days of the units of an age. */
const UNITS: Record<string, number> = { d: 1, w: 7, m: 30, y: 365 };
const MOST_DAYS = 36_500;

/**
 * Reads the value of `added:` or `published:`: a year, a month or a day, with `>`, `>=`, `<` or `<=` before it, or two of
 * them with `..` between; or an age such as `<7d`. Undefined if it is none of these.
 */
export function readDates(value: string): DateRange | undefined {
  const age = /^([<>])(\d{1,5})([dwmy])$/i.exec(value);
  if (age) {
    const [, sign, amount, unit = ''] = age;
    const days = Number(amount) * (UNITS[unit.toLowerCase()] ?? Number.NaN);
    return days <= MOST_DAYS ? { days, isYounger: sign === '<' } : undefined;
  }
  const [, first = '', last, single] = /^(?:([\d-]*)\.\.([\d-]*)|([<>]?=?[\d-]+))$/.exec(value) ?? [];
  if (single !== undefined) return readComparison(single);
  if (last === undefined || first + last === '') return undefined;
  const from = first === '' ? null : readPeriod(first)?.from;
  const until = last === '' ? null : readPeriod(last)?.until;
  return from === undefined || until === undefined ? undefined : { from, until };
}

function readComparison(value: string): DateRange | undefined {
  const [, sign = '', given = ''] = /^([<>]?=?)(.*)$/.exec(value) ?? [];
  const period = readPeriod(given);
  if (!period) return undefined;
  switch (sign) {
    case '>':
      return period.until === null ? undefined : { from: period.until, until: null };
    case '>=':
      return { from: period.from, until: null };
    case '<':
      return { from: null, until: period.from };
    case '<=':
      return { from: null, until: period.until };
    default:
      return period;
  }
}

/** Returns the first day of a year, a month or a day, and the first day after it; null after the year 9999. */
function readPeriod(given: string): { from: string; until: string | null } | undefined {
  const [, year = '', month, day] = /^(\d{4})(?:-(\d\d))?(?:-(\d\d))?$/.exec(given) ?? [];
  const from = `${year}-${month ?? '01'}-${day ?? '01'}`;
  const start = new Date(`${from}T00:00:00Z`);
  // JavaScript takes February 30 for March 1, and PostgreSQL has no year 0.
  if (year === '' || year === '0000' || Number.isNaN(start.getTime()) || dayOf(start) !== from)
    return undefined;
  const next = new Date(start);
  if (day !== undefined) next.setTime(start.getTime() + DAY_MS);
  else if (month !== undefined) next.setUTCMonth(start.getUTCMonth() + 1);
  else next.setUTCFullYear(start.getUTCFullYear() + 1);
  return { from, until: next.getUTCFullYear() > 9999 ? null : dayOf(next) };
}

/** Whether a range contains no day. */
export function isEmptyRange(range: DateRange): boolean {
  return 'from' in range && range.from !== null && range.until !== null && range.from >= range.until;
}

export const dayOf = (date: Date) => date.toISOString().slice(0, 10);
