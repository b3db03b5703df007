import type { z } from 'zod';

type RawIssue = z.core.$ZodRawIssue;

/** The words for the type that a field takes, by zod's name of it. */
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

/** The most characters of a sent key or value that an error sentence repeats. */
const LONGEST_QUOTE = 60;
const MOST_NAMED = 3;

/** Says in plain words what is wrong with a value, for every schema that does not say it itself. */
export function describeIssue(issue: RawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is missing';
      return `takes ${TYPES[issue.expected] ?? `a value of type ${issue.expected}`}`;
    case 'too_small':
      return `takes ${atLeast(Number(issue.minimum), issue.origin)}`;
    case 'too_big':
      return `takes ${atMost(Number(issue.maximum), issue.origin)}`;
    case 'invalid_format':
      return FORMATS[issue.format]
        ? `takes ${FORMATS[issue.format]}`
        : 'is not in the form that this field takes';
    case 'not_multiple_of':
      return `takes a multiple of ${issue.divisor}`;
    case 'invalid_value':
      return `takes ${oneOf(issue.values.map(String))}`;
    case 'unrecognized_keys':
      return `has the unknown field${issue.keys.length === 1 ? '' : 's'} ${named(issue.keys)}`;
    case 'invalid_union':
      return 'is in none of the forms that this field takes';
    default:
      return 'is not valid';
  }
}

/** The beginning of a text that somebody sent. */
export function quoted(text: string): string {
  return text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text;
}

function named(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMED).map(quoted).join(', ');
  return names.length > MOST_NAMED ? `${shown} and ${names.length - MOST_NAMED} more` : shown;
}

function oneOf(values: string[]): string {
  return values.length === 1 ? `${values[0]}` : `one of ${values.join(', ')}`;
}

function atLeast(minimum: number, origin: string): string {
  if (origin === 'string') return `at least ${counted(minimum, 'character')}`;
  if (origin === 'array' || origin === 'set') return `at least ${counted(minimum, 'item')}`;
  if (origin === 'date') return 'a time from the year 1 on';
  return `${minimum} or more`;
}

function atMost(maximum: number, origin: string): string {
  if (origin === 'string') return `at most ${counted(maximum, 'character')}`;
  if (origin === 'array' || origin === 'set') return `at most ${counted(maximum, 'item')}`;
  if (origin === 'date') return 'a time up to the year 9999';
  return `${maximum} or less`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
