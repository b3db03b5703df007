import { MEDIA_KINDS, type MediaKind } from '../../../../contract/media.ts';
import { tagName } from '../../../../contract/mine.ts';
import { normalForm } from '../../../../contract/normal-form.ts';
import { isEmptyRange, readDates } from './dates.ts';
import { type Condition, STATES, THINGS } from './tree.ts';

/** Reads the value of a condition. Returns a sentence when it is no such value. */
type ReadValue = (value: string) => Condition | string;

/** Other names of kinds, as people call them. */
const KIND_NAMES = new Map<string, MediaKind>([
  ['article', 'web_article'],
  ['book', 'epub'],
  ['podcast', 'podcast_episode'],
]);

const oneOf = <Value extends string>(values: readonly Value[], value: string) =>
  values.find((one) => one === value.toLowerCase());

const listed = (values: readonly string[]) => `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;

const readDateCondition =
  (type: 'added' | 'published'): ReadValue =>
  (value) => {
    const range = readDates(value);
    if (!range) {
      return (
        `${type}: takes a year, a month or a day, such as ${type}:2026, ${type}:>2026-01, ` +
        `${type}:2026-01-15..2026-02, or an age, such as ${type}:<7d (d, w, m or y).`
      );
    }
    return isEmptyRange(range) ? `The dates after ${type}: end before they begin.` : { type, range };
  };

function readLength(value: string): Condition | string {
  const [min, max] = readMinutes(value) ?? [null, null];
  if (min === null && max === null) {
    return 'length: takes minutes, such as length:<10, length:>=30 or length:10..20.';
  }
  if (min !== null && max !== null && min > max) return 'The minutes after length: end before they begin.';
  return { type: 'length', min, max };
}

/** Returns the least and the most minutes; null without such a limit. */
function readMinutes(value: string): [number | null, number | null] | undefined {
  const [, sign, single, first, last] = /^(?:([<>]?=?)(\d{1,5})|(\d{0,5})\.\.(\d{0,5}))$/.exec(value) ?? [];
  const bound = (given: string | undefined) => (given ? Number(given) : null);
  const minutes = Number(single);
  switch (sign) {
    case undefined:
      return [bound(first), bound(last)];
    case '<':
      return [null, minutes - 1];
    case '<=':
      return [null, minutes];
    case '>':
      return [minutes + 1, null];
    case '>=':
      return [minutes, null];
    default:
      return [minutes, minutes];
  }
}

/** Makes a site comparable: an address is its host, and `www.` does not matter. */
function siteOf(value: string): string {
  const isAddress = /^https?:\/\//i.test(value);
  const host = isAddress ? value.replace(/^https?:\/\//i, '').replace(/[/:?#].*$/, '') : value;
  return host.replace(/^www\./i, '').toLowerCase();
}

const CONDITIONS: Record<Condition['type'], ReadValue> = {
  tag: (value) => {
    const name = tagName.safeParse(value);
    return name.success
      ? { type: 'tag', value: name.data }
      : 'tag: takes the name of a tag: up to 64 characters, without commas, and with a name before and after each /.';
  },
  is: (value) => {
    const state = oneOf(STATES, value);
    return state ? { type: 'is', value: state } : `is: takes ${listed(STATES)}.`;
  },
  in: (value) => ({ type: 'in', value: normalForm(value.trim()) }),
  site: (value) => {
    const site = siteOf(value.trim());
    return site === '' ? 'site: takes a site, such as site:example.org.' : { type: 'site', value: site };
  },
  author: (value) =>
    /[\p{L}\p{N}]/u.test(value)
      ? { type: 'author', value: value.trim() }
      : 'author: takes a name, such as author:"Ada Keeper".',
  kind: (value) => {
    const kind = oneOf(MEDIA_KINDS, value) ?? KIND_NAMES.get(value.toLowerCase());
    return kind
      ? { type: 'kind', value: kind }
      : `kind: takes ${listed([...KIND_NAMES.keys(), ...MEDIA_KINDS])}.`;
  },
  added: readDateCondition('added'),
  published: readDateCondition('published'),
  length: readLength,
  has: (value) => {
    const thing = oneOf(THINGS, value);
    return thing ? { type: 'has', value: thing } : `has: takes ${listed(THINGS)}.`;
  },
};

export const CONDITION_NAMES = Object.keys(CONDITIONS) as Condition['type'][];

export function conditionNamed(name: string): Condition['type'] | undefined {
  return oneOf(CONDITION_NAMES, name);
}

/** Reads a condition. Returns a sentence that says what the condition takes if the value is none. */
export function readCondition(name: Condition['type'], value: string): Condition | string {
  if (value.trim() === '') return `Write a value after ${name}:, without a space between.`;
  return CONDITIONS[name](value);
}
