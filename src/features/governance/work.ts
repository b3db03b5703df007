import { MOST_STEPS } from './pattern.ts';
import { compileRules, masked, type PolicyHit, type Rule, redactedDeep } from './rules.ts';

/** A redacted value, and the policy hits in it. */
export interface Redacted<T> {
  value: T;
  hits: PolicyHit[];
}

/** The tasks of governance, which run in text processes. */
export const governanceWork = {
  /** Returns the decision about a text, and the text as it may be shown: null when a policy blocks it. */
  'governance.judge'({ text, rules }: { text: string; rules: Rule[] }) {
    const judgement = compileRules(rules).judge(text);
    return { ...judgement, text: judgement.decision === 'block' ? null : masked(text, judgement.redactions) };
  },
  /** Checks each value separately: a blocked one does not affect the others. */
  'governance.redact'({ values, rules }: { values: unknown[]; rules: Rule[] }): Redacted<unknown>[] {
    const compiled = compileRules(rules);
    return values.map((value) => redactedDeep(value, compiled));
  },
};

/** The worst-case cost of checking this many characters, including compiling the rules. */
export function costOfJudging(rules: readonly Rule[], characters: number): number {
  const termCount = rules.reduce((sum, { terms }) => sum + terms.length, 0);
  const patternCount = rules.reduce((sum, { patterns }) => sum + patterns.length, 0);
  if (termCount + patternCount === 0) return 0;
  return characters * (4 + patternCount * MOST_STEPS) + 20 * termCount + 20 * MOST_STEPS * patternCount;
}

/** The number of characters of all texts inside a value. */
export function charactersIn(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (value === null || typeof value !== 'object') return 0;
  return Object.values(value).reduce((sum: number, inner) => sum + charactersIn(inner), 0);
}
