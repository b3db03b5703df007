import { NexusError } from './errors.ts';
import { excerpt, MALFORMED_TEXT, MISSING, sentence } from './issues.ts';

/** The codes of an invalid field, which programs can rely on. The message is for people. */
export const FIELD_CODES = [
  'missing',
  'unknown',
  'wrong_type',
  'wrong_format',
  'too_small',
  'too_large',
  'not_allowed',
  'malformed_text',
  'invalid',
] as const;

type FieldCode = (typeof FIELD_CODES)[number];

/** One invalid field. `path` is its place in the body or query: `payload.urls.0`. */
export interface InvalidField {
  path: string;
  code: FieldCode;
  message: string;
}

/** Returns the error for one invalid field. The message continues the sentence that the field's name begins. */
export function invalidField(field: string, message: string, code: FieldCode = 'invalid'): NexusError {
  return invalidFields([{ path: excerpt(field), code, message }]);
}

/** The most fields that a message names, and that `details` lists. */
const MOST_NAMED = 3;
const MOST_LISTED = 50;

/** Returns the error for invalid fields. The message names the first ones. */
export function invalidFields(fields: InvalidField[]): NexusError {
  const messages = fields.slice(0, MOST_NAMED).map(({ path, message }) => `${path || 'request'} ${message}`);
  return new NexusError('E_INVALID_REQUEST', sentence(messages.join('; ')), {
    details: { fields: fields.slice(0, MOST_LISTED) },
  });
}

/** A validation error of zod, as far as it is needed to tell the caller. */
interface Issue {
  code: string;
  path: readonly PropertyKey[];
  message: string;
  keys?: readonly string[];
}

/** Returns the fields that a validation error is about: each unknown key of an object is one. */
export function invalidFieldsOf({ code, path, message, keys }: Issue): InvalidField[] {
  const place = path.map(String).map(excerpt);
  if (code === 'unrecognized_keys' && keys) {
    const unknown = { code: 'unknown', message: 'is not a known field' } as const;
    return keys.map((key) => ({ path: [...place, excerpt(key)].join('.'), ...unknown }));
  }
  return [{ path: place.join('.'), code: fieldCodeOf(code, message), message }];
}

function fieldCodeOf(code: string, message: string): FieldCode {
  switch (code) {
    case 'invalid_type':
      return message === MISSING ? 'missing' : 'wrong_type';
    case 'too_small':
      return 'too_small';
    case 'too_big':
      return 'too_large';
    case 'invalid_format':
      return message === MALFORMED_TEXT ? 'malformed_text' : 'wrong_format';
    case 'invalid_value':
      return 'not_allowed';
    default:
      return 'invalid';
  }
}
