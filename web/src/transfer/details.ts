import {
  MAX_NOTE,
  MAX_QUOTE,
  MAX_TAG,
  MAX_TITLE,
  MOST_HIGHLIGHTS,
  MOST_TAGS_OF_MEDIA,
} from '../../../src/contract/limits.ts';
import { normalForm } from '../../../src/contract/normal-form.ts';
import type { Details, Entry, EntryHighlight } from './formats/entry.ts';

/** Unites the entries of the same link. The first one decides where only one value is kept. */
export function mergeEntries(entries: readonly [Entry, ...Entry[]]): Entry {
  const [first, ...others] = entries;
  if (others.length === 0) return first;
  const firstOf = <Name extends keyof Entry>(name: Name) =>
    entries.find((entry) => entry[name] !== undefined && entry[name] !== '')?.[name];
  const dates = entries.map(({ savedAt }) => savedAt).filter((savedAt) => savedAt !== undefined);
  const notes = entries.map(({ note }) => note).filter((note) => note !== undefined && note !== '');
  return {
    url: first.url,
    savedAt: dates.toSorted((a, b) => a - b)[0],
    folder: firstOf('folder'),
    state: firstOf('state'),
    title: entries.find(({ title, url }) => title && !isAddress(title, url))?.title ?? first.title,
    own_title: firstOf('own_title'),
    tags: entries.flatMap(({ tags }) => tags ?? []),
    is_favourite: entries.some(({ is_favourite }) => is_favourite),
    is_archived: entries.some(({ is_archived }) => is_archived),
    note: [...new Set(notes)].join('\n\n'),
    reading: firstOf('reading'),
    highlights: entries.flatMap(({ highlights }) => highlights ?? []),
  };
}

/** The details of an entry besides its link and date, within the limits of the server; null when there is nothing. */
export function detailsOf(entry: Entry): Details | null {
  const title = titleOf(entry.title);
  const details: Details = {
    ...(title !== '' && !isAddress(title, entry.url) && { title }),
    ...withText('own_title', titleOf(entry.own_title)),
    ...withText('note', cut(plain(entry.note ?? '').trim(), MAX_NOTE)),
    ...(entry.is_favourite && { is_favourite: true }),
    ...(entry.is_archived && { is_archived: true }),
    ...(entry.reading && { reading: entry.reading }),
  };
  const tags = uniqueTags(entry.tags ?? []);
  if (tags.length > 0) details.tags = tags;
  const highlights = (entry.highlights ?? []).flatMap(fittedHighlight);
  if (highlights.length > 0) details.highlights = highlights;
  return Object.keys(details).length > 0 ? details : null;
}

/** Splits what has more highlights, or longer ones, than one entry of a request may have. */
export function* splitDetails(details: Details | null, maxCharacters: number): Generator<Details | null> {
  if (!details?.highlights) return yield details;
  const { highlights, ...rest } = details;
  let part: EntryHighlight[] = [];
  let size = 0;
  let others: Details = rest;
  for (const highlight of highlights) {
    const length = JSON.stringify(highlight).length;
    if (part.length === MOST_HIGHLIGHTS || (part.length > 0 && size + length > maxCharacters)) {
      yield { ...others, highlights: part };
      others = {};
      part = [];
      size = 0;
    }
    part.push(highlight);
    size += length;
  }
  yield { ...others, highlights: part };
}

/** Adds the tag of a folder. */
export function withTag(details: Details | null, tag: string | undefined): Details | null {
  return tag === undefined ? details : { ...details, tags: uniqueTags([...(details?.tags ?? []), tag]) };
}

/** Folders that every program has. They say nothing about the links in them. */
const ROOTS =
  /^(bookmarks? (bar|toolbar|menu)|(other|mobile|unsorted|unfiled) bookmarks|favou?rites( bar)?|unsorted|imported|unorganized)$/i;

/** The tag of a folder; undefined when nothing is left of its name. */
export function tagOfFolder(path: string): string | undefined {
  const names = path.split(' / ');
  return cleanTag((ROOTS.test(names[0] ?? '') ? names.slice(1) : names).join('/'));
}

/** Upper and lower case are the same tag. */
function uniqueTags(names: readonly string[]): string[] {
  const byName = new Map<string, string>();
  for (const name of names) {
    const tag = cleanTag(name);
    if (tag !== undefined && !byName.has(tag.toLowerCase())) byName.set(tag.toLowerCase(), tag);
  }
  return [...byName.values()].slice(0, MOST_TAGS_OF_MEDIA);
}

/** A name of another program as Nexus allows it; undefined when nothing is left of it. */
function cleanTag(name: string): string | undefined {
  const parts = plain(name)
    .replace(/\s*[\p{Cc}",][\p{Cc}",\s]*/gu, ' ')
    .split('/')
    .map((part) => part.trim())
    .filter(Boolean);
  return cut(normalForm(parts.join('/')), MAX_TAG).replace(/[/\s]+$/, '') || undefined;
}

function fittedHighlight({ target, note, ...rest }: EntryHighlight): EntryHighlight[] {
  const selector = target.selector.map((one) =>
    one.type === 'TextQuoteSelector'
      ? {
          ...one,
          exact: cut(plain(one.exact), MAX_QUOTE),
          prefix: plain((one.prefix ?? '').slice(-1000)),
          suffix: cut(plain(one.suffix ?? ''), 1000),
        }
      : one,
  );
  const isEmpty = selector.some((one) => one.type === 'TextQuoteSelector' && one.exact.trim() === '');
  const kept = cut(plain(note ?? '').trim(), MAX_NOTE);
  return isEmpty ? [] : [{ ...rest, target: { ...target, selector }, ...withText('note', kept) }];
}

/** Control characters, such as line breaks, become spaces. */
function titleOf(title: string | undefined): string {
  return cut(
    plain(title ?? '')
      .replace(/\s*\p{Cc}[\p{Cc}\s]*/gu, ' ')
      .trim(),
    MAX_TITLE,
  );
}

/** Whether a title is only the address of the page, as programs write when the page has none. */
function isAddress(title: string, url: string): boolean {
  const [address, bare] = [withoutScheme(url), withoutScheme(title).replace(/\/$/, '')];
  const host = address.split(/[/?#]/, 1)[0] ?? '';
  return host !== '' && bare.startsWith(host) && address.startsWith(bare);
}

const withoutScheme = (address: string) => address.toLowerCase().replace(/^https?:\/\/(www\.)?/, '');

/** Removes NUL and halves of characters, which the server cannot store. */
const plain = (text: string) => text.replace(/[\0\p{Surrogate}]/gu, '');

/** Shortens a text to this many characters. */
const cut = (text: string, length: number) =>
  text.length > length ? plain(text.slice(0, length)).trimEnd() : text;

function withText<Name extends string>(name: Name, text: string): { [Key in Name]?: string } {
  return text === '' ? {} : ({ [name]: text } as { [Key in Name]?: string });
}
