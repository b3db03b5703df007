import { isId } from '../api/queries.ts';

export interface RunParams {
  /** Only the runs of this rule. */
  rule?: string;
}

export function readRunParams({ rule }: Record<string, unknown>): RunParams {
  return typeof rule === 'string' && isId(rule) ? { rule } : {};
}
