import { endOfDay, longDayOf } from '../ui/dates.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** When a new key expires. */
export type Expiry = 'never' | 'month' | 'quarter' | 'year' | 'date';

export const EXPIRIES: { value: Expiry; label: string }[] = [
  { value: 'never', label: 'Never' },
  { value: 'month', label: 'In 30 days' },
  { value: 'quarter', label: 'In 90 days' },
  { value: 'year', label: 'In 1 year' },
  { value: 'date', label: 'On a date' },
];

const DAYS: Partial<Record<Expiry, number>> = { month: 30, quarter: 90, year: 365 };

/** Returns when a key expires; undefined if never. `day` is the value of a date field: the key works until it ends. */
export function expiryDate(expiry: Expiry, day: string, now = Date.now()): Date | undefined {
  const days = DAYS[expiry];
  if (days !== undefined) return new Date(now + days * DAY_MS);
  return expiry === 'date' && day !== '' ? endOfDay(day) : undefined;
}

export function expiryHint(expiry: Expiry, day: string): string {
  if (expiry === 'never') return 'It works until you disable or delete it.';
  const date = expiryDate(expiry, day);
  return date ? `It works until ${longDayOf(date)}.` : 'Choose the last day on which it works.';
}
