import { normalForm } from '../../../src/contract/normal-form.ts';

export const LONGEST_TAG = 64;

/** The name as the server stores it, without white space around its parts. */
export function cleanTag(text: string): string {
  const parts = text.split('/').map((part) => part.trim());
  return normalForm(parts.join('/'));
}

/** Returns why a text cannot be the name of a tag, or undefined. */
export function tagProblem(text: string): string | undefined {
  const name = cleanTag(text);
  if (/[\p{Cc}",]/u.test(name)) return 'A tag has no commas and no quotation marks.';
  if (name.length > LONGEST_TAG) return `A tag has at most ${LONGEST_TAG} characters.`;
  if (name.split('/').some((part) => part === '')) return 'Write a name before and after each /.';
  return undefined;
}

/** Upper and lower case are the same tag. */
export const isSameTag = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

export const hasTag = (tags: readonly string[], name: string) => tags.some((tag) => isSameTag(tag, name));

export const withoutTag = (tags: readonly string[], name: string) =>
  tags.filter((tag) => !isSameTag(tag, name));
