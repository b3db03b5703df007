import type { Decision, Evaluation, Policy } from '../../contract/governance.ts';
import type { TextRange } from '../media/text/text-range.ts';
import { coverOf, united } from './cover.ts';
import { compilePattern } from './pattern.ts';
import { compileTerms } from './terms.ts';
import { textFormsOf } from './text-forms.ts';

/** The part of a policy that is applied to texts. Plain data, so that it can be sent to a process. */
export type Rule = Pick<Policy, 'id' | 'name' | 'action' | 'terms' | 'patterns'>;

export type PolicyHit = Evaluation['policy_hits'][number];

type Rules = ReturnType<typeof compileRules>;

export function compileRules(given: readonly Rule[]) {
  const rules = given.map((rule) => ({
    ...rule,
    terms: compileTerms(rule.terms),
    machines: rule.patterns.map(compilePattern),
  }));
  return {
    /** Applies the policies to a text. `redactions` are the ranges that redacting policies have found. */
    judge(text: string) {
      const hits: PolicyHit[] = [];
      let redactions: TextRange[] = [];
      const readings = textFormsOf(text);
      for (const { id, name, action, terms, machines } of rules) {
        const ranges = readings.flatMap((reading) => {
          const inTerms = terms.find(reading.text);
          const inPatterns = machines.flatMap((machine) => coverOf(machine, reading.text));
          return [...inTerms, ...inPatterns].map(reading.rangeIn);
        });
        const found = united(ranges);
        if (found.length === 0) continue;
        hits.push({ policy_id: id, name, action, count: found.length });
        if (action === 'redact') redactions = redactions.concat(found);
      }
      return { decision: decisionOf(hits), hits, redactions: united(redactions) };
    },
  };
}

export function decisionOf(hits: readonly Pick<PolicyHit, 'action'>[]): Decision {
  if (hits.some(({ action }) => action === 'block')) return 'block';
  return hits.length > 0 ? 'redact' : 'allow';
}

/** Replaces each character, so that ranges in the text stay valid. */
const MASK = '█';

/** Returns the text with the ranges masked. Length and line ends stay the same. */
export function masked(text: string, ranges: readonly TextRange[]): string {
  let result = '';
  let from = 0;
  for (const { start, end } of ranges) {
    result += text.slice(from, start) + text.slice(start, end).replace(/[^\n]/g, MASK);
    from = end;
  }
  return result + text.slice(from);
}

/** Masks every text inside a value as policies require. Field names are not checked: they must not hold texts. */
export function redactedDeep<T>(value: T, rules: Rules): { value: T; hits: PolicyHit[] } {
  const found: PolicyHit[] = [];
  const visit = (inner: unknown): unknown => {
    if (typeof inner === 'string') return visitText(inner);
    if (Array.isArray(inner)) return inner.map(visit);
    if (inner === null || typeof inner !== 'object' || inner instanceof Date) return inner;
    return Object.fromEntries(Object.entries(inner).map(([key, part]) => [key, visit(part)]));
  };
  const visitText = (text: string): string => {
    const { hits, redactions } = rules.judge(text);
    for (const hit of hits) found.push(hit);
    return masked(text, redactions);
  };
  return { value: visit(value) as T, hits: mergedHits(found) };
}

/** Merges hits to one for each policy, with the sum of its counts. */
export function mergedHits(hits: readonly PolicyHit[]): PolicyHit[] {
  const byPolicy = new Map<string, PolicyHit>();
  for (const hit of hits) {
    const known = byPolicy.get(hit.policy_id);
    byPolicy.set(hit.policy_id, { ...hit, count: hit.count + (known?.count ?? 0) });
  }
  return [...byPolicy.values()];
}
