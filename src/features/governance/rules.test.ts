import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileRules, masked, type Rule, redactedDeep } from './rules.ts';

const rule = (fields: Partial<Rule>): Rule => ({
  id: 'p',
  name: 'Policy',
  action: 'redact',
  terms: [],
  patterns: [],
  ...fields,
});
const redact = (text: string, fields: Partial<Rule>) => {
  const { redactions } = compileRules([rule(fields)]).judge(text);
  return masked(text, redactions);
};

describe('a term is found', () => {
  test.each([
    ['as a whole word', 'The falcon and falconry.', ['falcon'], 'The ██████ and falconry.'],
    ['whatever its case', 'FALCON Falcon falcon', ['Falcon'], '██████ ██████ ██████'],
    [
      'before an apostrophe and a full stop',
      "the falcon's nest, falcon.",
      ['falcon'],
      "the ██████'s nest, ██████.",
    ],
    ['over white space of any kind', 'project\n falcon', ['project falcon'], '███████\n███████'],
    ['within another', 'project falcon x', ['falcon', 'project falcon'], '██████████████ x'],
    ['with signs in it', 'C++ and C#', ['c++'], '███ and C#'],
    ['in Chinese, where words have no edges', '清晨的市场很热闹', ['市场'], '清晨的██很热闹'],
    ['in Russian', 'ПРИВЕТ мир', ['привет'], '██████ мир'],
    ['despite characters that are not seen', 'fal\u00adcon fal\u200bcon', ['falcon'], '███████ ███████'],
    ['despite what joins and selects', 'f\u2060alc\u034fon\ufe0f', ['falcon'], '█████████'],
    ['between such characters', 'the\u200bfalcon\u200bflew', ['falcon'], 'the\u200b██████\u200bflew'],
    ['written with such characters', 'falcon', ['fal\u00adcon'], '██████'],
    ['over such characters', 'project\u200b \u2060falcon', ['project falcon'], '████████████████'],
    [
      'divided at the end of a line',
      'the fal-\ncon, fal\u2010\n  con',
      ['falcon'],
      'the ████\n███, ████\n█████',
    ],
    ['as half of a word with a hyphen', 'a falcon-\nlike bird', ['falcon'], 'a ██████-\nlike bird'],
    ['with accents or without', 'Zürich ZURICH Zu\u0308rich', ['zurich'], '██████ ██████ ███████'],
    ['whatever its accents', 'Zurich', ['Zürich'], '██████'],
    ['whichever way its accents are put on', 'cafe\u0301 caf\u00e9', ['CAFÉ'], '█████ ████'],
    ['in Korean, composed or not', '\u1112\u1161\u11ab 한', ['한'], '███ █'],
    ['in capitals that are longer', 'STRASSE straße', ['Straße'], '███████ ██████'],
    ['in Greek, at the end of a word', 'ΟΔΟΣ οδός', ['οδος'], '████ ████'],
    ['in Turkish', 'İSTANBUL ıstanbul', ['istanbul'], '████████ ████████'],
    ['with an apostrophe of either kind', "O’Brien and O'Brien", ["o'brien"], '███████ and ███████'],
    ['with a hyphen of any kind', 'e-mail e‑mail e–mail', ['e-mail'], '██████ ██████ ██████'],
    ['in letters that are one', 'the o\ufb03ce', ['office'], 'the ████'],
    ['in letters of full width', 'ｆａｌｃｏｎ', ['falcon'], '██████'],
    ['at the very end', 'a falcon', ['falcon'], 'a ██████'],
    ['again and again', 'falcon falcon', ['falcon'], '██████ ██████'],
    ['not in nothing', '', ['falcon'], ''],
  ])('%s', (_how, text, terms, expected) => {
    expect(redact(text, { terms })).toBe(expected);
  });
});

describe('a pattern is found', () => {
  test.each([
    ['despite characters that are not seen', '555\u200b-12\u00ad34', '\\d{3}-\\d{4}', '██████████'],
    ['between such characters', 'x\u200b555-1234', '\\b\\d{3}-\\d{4}', 'x\u200b████████'],
    ['whichever way accents are put on', 'cafe\u0301 caf\u00e9', 'cafe\u0301', '█████ ████'],
    ['in digits of any script', '٥٥٥-١٢٣٤ and ５５５-１２３４', '\\d{3}-\\d{4}', '████████ and ████████'],
    ['divided at the end of a line', 'project fal-\ncon', 'project falcon', '████████████\n███'],
  ])('%s', (_how, text, pattern, expected) => {
    expect(redact(text, { patterns: [pattern] })).toBe(expected);
  });
});

test('invisible characters inside a term are redacted with it, and nothing else is', () => {
  const hidden = fc.constantFrom('\u200b', '\u00ad', '\u2060', '\u034f', '\ufe0f', '\u0301', '');
  const spelling = fc
    .tuple(...[...'falcon'].map((letter) => fc.tuple(fc.constantFrom(letter, letter.toUpperCase()), hidden)))
    .map((letters) => letters.flat().join(''));
  const around = fc.constantFrom('', ' ', 'a ', 'é, ', '\n', '한 ', 'e\u0301 ', 'x\u200by ', '😀 ');
  fc.assert(
    fc.property(around, spelling, around, (before, term, after) => {
      const text = `${before}${term} ${after}`;
      const shown = redact(text, { terms: ['falcon'] });
      expect(shown).toHaveLength(text.length);
      expect(shown.startsWith(before)).toBe(true);
      expect(shown.slice(before.length)).toMatch(/^█{6,}/);
      expect(shown.endsWith(` ${after}`)).toBe(true);
      expect(shown).not.toMatch(/[falcon]{3}/i);
    }),
  );
});

test('matches of several policies are redacted together and counted separately', () => {
  const rules = compileRules([
    rule({ id: '1', name: 'Terms', terms: ['ada'] }),
    rule({ id: '2', name: 'Numbers', patterns: ['\\d{3}-\\d{4}'] }),
    rule({ id: '3', name: 'Silent', terms: ['nobody'] }),
  ]);
  const text = 'Ada: 555-1234, ada.';
  const { decision, hits, redactions } = rules.judge(text);
  expect(decision).toBe('redact');
  expect(hits).toEqual([
    { policy_id: '1', name: 'Terms', action: 'redact', count: 2 },
    { policy_id: '2', name: 'Numbers', action: 'redact', count: 1 },
  ]);
  expect(masked(text, redactions)).toBe('███: ████████, ███.');
});

test('a blocking policy overrides redacting ones', () => {
  const rules = compileRules([rule({ terms: ['a'] }), rule({ id: 'q', action: 'block', terms: ['b'] })]);
  expect(rules.judge('a b').decision).toBe('block');
  expect(rules.judge('a').decision).toBe('redact');
  expect(rules.judge('c')).toEqual({ decision: 'allow', hits: [], redactions: [] });
});

test('redaction keeps the length, so ranges stay valid', () => {
  const text = 'x 😀falcon😀 y';
  expect(redact(text, { patterns: ['😀falcon😀'] })).toHaveLength(text.length);
});

test('every text inside a value is redacted, however deep', () => {
  const rules = compileRules([rule({ terms: ['falcon'] })]);
  const value = { a: 'falcon', b: [{ c: 'the falcon', d: 7, e: null, f: true }] };
  expect(redactedDeep(value, rules)).toEqual({
    value: { a: '██████', b: [{ c: 'the ██████', d: 7, e: null, f: true }] },
    hits: [{ policy_id: 'p', name: 'Policy', action: 'redact', count: 2 }],
  });
});

test('values are redacted, field names are not', () => {
  const { value, hits } = redactedDeep(
    { text: 'text', list: [{ kind: 'a text' }], at: new Date(0) },
    compileRules([rule({ terms: ['text', 'kind', 'list', 'at'] })]),
  );
  expect(value).toEqual({ text: '████', list: [{ kind: 'a ████' }], at: new Date(0) });
  expect(hits).toMatchObject([{ count: 2 }]);
});

test.each([
  ['a word of letters', 'a', 1],
  ['a letter with marks', '\u0301\u0316', 5],
  ['what is not seen', '\u200b', 1],
  ['divided words', 'a-\n', 1],
])(
  'an endless run of %s is processed, and text after it is redacted',
  { tags: 'slow', timeout: 60_000 },
  (_what, part, millions) => {
    const text = `a${part.repeat((millions * 1_000_000) / part.length)} falcon`;
    expect(redact(text, { terms: ['falcon'] }).endsWith(' ██████')).toBe(true);
  },
);

test('a thousand terms over a megabyte take one pass', () => {
  const terms = Array.from({ length: 1000 }, (_, index) => `term${index} of many words`);
  const text = 'term1 of many other words '.repeat(40_000);
  const begun = process.cpuUsage();
  expect(compileRules([rule({ terms })]).judge(text).decision).toBe('allow');
  expect(process.cpuUsage(begun).user).toBeLessThan(20_000_000);
});
