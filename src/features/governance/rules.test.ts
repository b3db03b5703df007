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
    ['in letters of full width', 'ｆａｌｃｏｎ', ['falcon'], '██████'],
    ['at the very end', 'a falcon', ['falcon'], 'a ██████'],
    ['again and again', 'falcon falcon', ['falcon'], '██████ ██████'],
    ['not in nothing', '', ['falcon'], ''],
  ])('%s', (_how, text, terms, expected) => {
    expect(redact(text, { terms })).toBe(expected);
  });
});

test('patterns and terms of several policies are redacted together, and counted apart', () => {
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

test('one policy that blocks outweighs those that redact', () => {
  const rules = compileRules([rule({ terms: ['a'] }), rule({ id: 'q', action: 'block', terms: ['b'] })]);
  expect(rules.judge('a b').decision).toBe('block');
  expect(rules.judge('a').decision).toBe('redact');
  expect(rules.judge('c')).toEqual({ decision: 'allow', hits: [], redactions: [] });
});

test('what is redacted is as long as before, so places stay where they are', () => {
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

test('a thousand terms over a megabyte take one pass', () => {
  const terms = Array.from({ length: 1000 }, (_, index) => `term${index} of many words`);
  const text = 'term1 of many other words '.repeat(40_000);
  const begin = performance.now();
  expect(compileRules([rule({ terms })]).judge(text).decision).toBe('allow');
  expect(performance.now() - begin).toBeLessThan(20_000);
});
