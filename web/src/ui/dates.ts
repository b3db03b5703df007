const DAY_MS = 86_400_000;

/** The functions that show dates and times. They use the zone and the language of the browser, unless others are given. */
export function createDates(timeZone?: string, locale?: string) {
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { timeZone, ...options });
  const day = { day: 'numeric', month: 'short', year: 'numeric' } as const;
  const shortFormat = format({ day: 'numeric', month: 'short' });
  const dayFormat = format(day);
  const longDayFormat = format({ dateStyle: 'long' });
  const minuteFormat = format({ dateStyle: 'medium', timeStyle: 'short' });
  const secondFormat = format({ dateStyle: 'medium', timeStyle: 'medium' });
  const clockFormat = format({ timeStyle: 'medium' });
  // A date without a time is the same day everywhere.
  const statedDayFormat = format({ ...day, timeZone: 'UTC' });
  const statedMonthFormat = format({ month: 'short', year: 'numeric', timeZone: 'UTC' });
  const calendar = new Intl.DateTimeFormat('en-CA', { timeZone });

  /** The number of midnights between two times. */
  const daysBetween = (from: Date, to: Date) =>
    Math.round((Date.parse(calendar.format(to)) - Date.parse(calendar.format(from))) / DAY_MS);
  const yearOf = (date: Date) => calendar.format(date).slice(0, 4);

  return {
    /** A relative or short date: just now, 5 h ago, yesterday, 3 Mar. */
    timeAgo(iso: string, now = Date.now()): string {
      const [then, today] = [new Date(iso), new Date(now)];
      const age = now - then.getTime();
      if (age < 60_000) return 'just now';
      if (age < 3_600_000) return `${Math.floor(age / 60_000)} min ago`;
      if (age < DAY_MS) return `${Math.floor(age / 3_600_000)} h ago`;
      if (daysBetween(then, today) === 1) return 'yesterday';
      return (yearOf(then) === yearOf(today) ? shortFormat : dayFormat).format(then);
    },

    /** A date without a time: 3 Mar 2025. */
    dayOf: (at: string | Date) => dayFormat.format(new Date(at)),
    /** A date without a time: 3 March 2025. */
    longDayOf: (at: string | Date) => longDayFormat.format(new Date(at)),
    /** A date with hours and minutes. */
    dateTime: (at: string | number) => minuteFormat.format(new Date(at)),
    /** A date with hours, minutes and seconds. */
    exactTime: (at: string | number) => secondFormat.format(new Date(at)),
    timeOfDay: (at: string | number) => clockFormat.format(new Date(at)),

    /**
     * A publication date, as exact as its source. A date without a time, or at midnight of its own zone, which is how many
     * sources write one, does not depend on the zone of the reader.
     */
    publishedOf(published: string): string {
      if (!/^\d{4}-\d{2}/.test(published) || Number.isNaN(Date.parse(published))) return published;
      const [, month, date] = STATED.exec(published) ?? [];
      if (date) return statedDayFormat.format(new Date(`${month}-${date}`));
      return month ? statedMonthFormat.format(new Date(month)) : dayFormat.format(new Date(published));
    },
  };
}

/** A month, or a day with no time or midnight. */
const STATED = /^(\d{4}-\d{2})(?:-(\d{2})(?:T00:00(?::00(?:\.0+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?)?$/;

export const { timeAgo, dayOf, longDayOf, dateTime, exactTime, timeOfDay, publishedOf } = createDates();

/** A local date as the value of a date field: `2025-03-09`. */
export function dayInputValue(date: Date): string {
  const twoDigits = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
}

/** The end of the day in a date field, in local time. */
export function endOfDay(day: string): Date {
  // Without a zone, a date with a time is in local time.
  return new Date(`${day}T23:59:59.999`);
}
