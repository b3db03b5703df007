import type { z } from 'zod';

type RawIssue = z.core.$ZodRawIssue;

/** The names of zod's types in error messages. */
const TYPES: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'a JSON object',
  record: 'a JSON object',
  date: 'a time such as 2026-01-31T12:00:00Z',
  null: 'null',
};

const FORMATS: Record<string, string> = {
  uuid: 'a UUID',
  guid: 'a UUID',
  datetime: 'a time such as 2026-01-31T12:00:00Z',
  date: 'a date such as 2026-01-31',
  url: 'a URL',
  email: 'an email address',
};

export const MISSING = 'is missing';
export const MALFORMED_TEXT = 'must be well-formed Unicode without the NUL character';

/** The maximum number of characters of a caller's key or value that an error message repeats. */
const MAX_EXCERPT_LENGTH = 60;
const MAX_NAMES = 3;

/** Describes a validation error in words that continue the field's name: `limit` + `must be a number`. */
export function describeIssue(issue: RawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return MISSING;
      return `must be ${TYPES[issue.expected] ?? `a value of type ${issue.expected}`}`;
    case 'too_small':
      return `must ${limited('least', Number(issue.minimum), issue.origin)}`;
    case 'too_big':
      return `must ${limited('most', Number(issue.maximum), issue.origin)}`;
    case 'invalid_format':
      return FORMATS[issue.format] ? `must be ${FORMATS[issue.format]}` : 'has the wrong format';
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_value':
      return `must be ${oneOf(issue.values.map(String))}`;
    case 'unrecognized_keys':
      return `has the unknown field${issue.keys.length === 1 ? '' : 's'} ${listNames(issue.keys)}`;
    case 'invalid_union':
      return 'matches none of the allowed formats';
    default:
      return 'is not valid';
  }
}

/** Ends a text with a full stop. */
export function sentence(text = 'The request is malformed'): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** Shortens a caller's text for an error message. */
export function excerpt(text: string): string {
  return text.length > MAX_EXCERPT_LENGTH ? `${text.slice(0, MAX_EXCERPT_LENGTH)}…` : text;
}

function listNames(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map(excerpt).join(', ');
  return names.length > MAX_NAMES ? `${shown} and ${names.length - MAX_NAMES} more` : shown;
}

function oneOf(values: string[]): string {
  return values.length === 1 ? `${values[0]}` : `one of ${values.join(', ')}`;
}

function limited(word: 'least' | 'most', limit: number, origin: string): string {
  if (origin === 'string') return `have at ${word} ${plural(limit, 'character')}`;
  if (origin === 'array' || origin === 'set') return `have at ${word} ${plural(limit, 'item')}`;
  if (origin === 'date')
    return word === 'least' ? 'be in the year 1 or later' : 'be in the year 9999 or earlier';
  return `be ${limit} or ${word === 'least' ? 'more' : 'less'}`;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
