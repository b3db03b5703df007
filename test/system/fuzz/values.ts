import fc from 'fast-check';

/** The part of JSON Schema that the OpenAPI document uses. */
export interface Schema {
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
}

/** Gives values for fields that a schema alone says too little about, such as ids of things that exist. */
export type Special = (field: string, schema: Schema) => fc.Arbitrary<unknown> | undefined;

const LONGEST = 3000;
const MOST_ITEMS = 4;

/** Values that a schema takes, often on its edges. */
export function validValues(schema: Schema, field: string, special: Special): fc.Arbitrary<unknown> {
  const given = special(field, schema);
  if (given) return given;
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map((choice) => validValues(choice, field, special)));
  const types = [schema.type ?? 'any'].flat();
  return fc.oneof(...types.map((type) => ofType(type, schema, field, special)));
}

function ofType(type: string, schema: Schema, field: string, special: Special): fc.Arbitrary<unknown> {
  const { minimum = -1000, maximum = 1_000_000 } = schema;
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.oneof(
        fc.constantFrom(minimum, maximum),
        fc.integer({ min: Math.max(minimum, -(2 ** 31)), max: Math.min(maximum, 2 ** 31 - 1) }),
      );
    case 'number':
      return fc.oneof(
        fc.constantFrom(minimum, maximum),
        fc.double({ min: minimum, max: maximum, noNaN: true }),
      );
    case 'string':
      return texts(schema);
    case 'array':
      return fc.array(validValues(schema.items ?? {}, field, special), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.max(schema.minItems ?? 0, Math.min(schema.maxItems ?? MOST_ITEMS, MOST_ITEMS)),
      });
    case 'object':
      return objects(schema, special);
    default:
      return fc.jsonValue({ maxDepth: 3 });
  }
}

function texts({ format, minLength = 0, maxLength = 200 }: Schema): fc.Arbitrary<string> {
  if (format === 'uuid') return fc.uuid();
  if (format === 'date-time') {
    return fc.oneof(
      fc.constantFrom('0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', '2024-02-29T23:59:59+14:00'),
      fc
        .date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') })
        .map((date) => date.toISOString()),
    );
  }
  const longest = Math.min(maxLength, LONGEST);
  return fc.oneof(
    fc.constantFrom(...WORDS).map((word) => word.slice(0, longest).padEnd(minLength, 'x')),
    fc.string({ unit: 'grapheme', minLength, maxLength: Math.max(minLength, Math.min(longest, 40)) }),
    fc
      .constantFrom('a', '😀')
      .map((character) => character.repeat(longest).slice(0, longest - (longest % 2))),
  );
}

function objects({ properties = {}, required = [] }: Schema, special: Special): fc.Arbitrary<object> {
  const fields: Record<string, fc.Arbitrary<unknown>> = {};
  for (const [name, schema] of Object.entries(properties)) fields[name] = validValues(schema, name, special);
  return fc.record(fields, { requiredKeys: required });
}

const WORDS = [
  'granite',
  '"a phrase" -not',
  "'; drop table media; --",
  '%',
  '\\',
  '<script>alert(1)</script>',
  '((',
  ':*',
  '../../etc/passwd',
  'Ω 測試 สวัสดี',
  'e\u0301\u0316'.repeat(20),
  '\u202e\u200b\ufeff',
];

const deep = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);

/** Values that hardly any field takes. */
export const odd: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, -1, 0.1, 1e308, 2 ** 53, -0, '', ' ', 'NaN', [], {}, [null]),
  fc.constantFrom('\0', 'a\0b', '\ud800', '\udfff\ud800', 'a\udc00', '\uffff'),
  fc.constantFrom('x'.repeat(5000), '😀'.repeat(2000), '\n'.repeat(20_000)),
  fc.integer({ min: 5, max: 2000 }).map(deep),
  fc.constantFrom(
    { toString: 1 },
    { length: 3 },
    { '\0': 1 },
    { '\ud800': 1 },
    { constructor: { prototype: {} } },
  ),
  fc.jsonValue({ maxDepth: 3 }),
);

/** A valid value with one thing wrong in it: a field that is odd, missing or unknown. */
export function brokenValues(valid: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const how = fc.constantFrom('replace', 'replace', 'remove', 'add', 'instead');
  return fc.tuple(valid, odd, fc.nat(), how).map(([value, wrong, place, how]) => {
    if (how === 'instead') return wrong;
    if (how === 'add' && isObject(value)) return { ...value, unknown: wrong };
    return withField(value, place, () => (how === 'remove' ? undefined : wrong));
  });
}

/** A valid value with a character in one field that UTF-8 or PostgreSQL does not have. */
export function malformedValues(valid: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc
    .tuple(valid, fc.nat(), fc.constantFrom('\0', '\ud800', 'a\udc00b'))
    .map(([value, place, text]) => withField(value, place, (field) => malformed(field, text)));
}

function malformed(value: unknown, text: string): unknown {
  if (Array.isArray(value)) return [...value, text];
  if (isObject(value)) return { ...value, note: text };
  return typeof value === 'string' ? value.slice(0, 20) + text : text;
}

function withField(value: unknown, place: number, change: (field: unknown) => unknown): unknown {
  if (!isObject(value)) return change(value);
  const fields = Object.entries(value);
  const [name, field] = fields[place % Math.max(1, fields.length)] ?? ['unknown', undefined];
  return { ...value, [name]: change(field) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A body whose bytes are not quite JSON, or not quite UTF-8. */
export function brokenBytes(valid: fc.Arbitrary<unknown>): fc.Arbitrary<Buffer> {
  return fc
    .tuple(valid, fc.nat(), fc.nat(6), fc.uint8Array({ maxLength: 40 }))
    .map(([value, at, how, noise]) => {
      const json = Buffer.from(JSON.stringify(value) ?? '{}');
      const middle = at % (json.length + 1);
      const head = json.subarray(0, middle);
      switch (how) {
        case 0:
          return head;
        case 1:
          return Buffer.concat([head, noise, json.subarray(middle)]);
        case 2:
          return Buffer.concat([
            json.subarray(0, -1),
            Buffer.from([0xff, 0xed, 0xa0, 0x80]),
            json.subarray(-1),
          ]);
        case 3:
          return Buffer.from(json.toString().replace('{', '{"__proto__":{"role":"admin"},'));
        case 4:
          return Buffer.from('['.repeat(1 + (at % 100_000)) + ']'.repeat(at % 100_000));
        case 5:
          return Buffer.from(json.toString(), 'utf16le');
        default:
          return Buffer.from(noise);
      }
    });
}
