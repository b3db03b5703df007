import { NexusError } from '../../contract/errors.ts';
import type { Evaluation } from '../../contract/governance.ts';
import type { Principal } from '../../contract/identity.ts';
import type { Mode } from '../../contract/roles.ts';
import { type Actor, recordAudit } from '../../platform/audit/audit.ts';
import type { Database, Queryable } from '../../platform/database/database.ts';
import type { RunByCost } from '../../platform/processes/by-cost.ts';
import type { Authentication } from '../identity/authentication.ts';
import { decisionOf, type PolicyHit, type Rule } from './rules.ts';
import * as store from './store.ts';
import { charactersIn, costOfJudging, type governanceWork, type Redacted } from './work.ts';

interface GovernanceDependencies extends Pick<Authentication, 'requireMode'> {
  sql: Database;
  run: RunByCost<typeof governanceWork>;
}

export type Governance = ReturnType<typeof createGovernance>;

export function createGovernance({ sql, requireMode, run }: GovernanceDependencies) {
  const redact = createRedact(run);

  /** Records policy hits. Throws when a policy blocks. Without hits nothing is recorded. */
  async function settle(decision: Decision): Promise<void> {
    if (decision.hits.length === 0) return;
    await recordDecision(sql, decision);
    if (decisionOf(decision.hits) === 'block') throw blocked(decision.hits);
  }

  return {
    async evaluate(text: string, mode: Mode, principal: Principal, actor: Actor): Promise<Evaluation> {
      await requireMode(principal, mode, actor);
      const rules = await rulesOf(sql, mode);
      const cost = costOfJudging(rules, text.length);
      const { decision, hits, ...judged } = await run('governance.judge', { text, rules }, { cost });
      await recordDecision(sql, { mode, hits, actor, subject: { subject: 'text' } });
      return { mode, decision, allow: decision !== 'block', policy_hits: hits, ...judged };
    },

    /** Returns the rules in force in a mode, for tasks that apply them themselves. */
    rules: (mode: Mode) => rulesOf(sql, mode),

    settle,

    /** Returns each value as the current policies allow; undefined for a blocked one. Nothing is recorded. */
    async redactEach<T>(values: T[], mode: Mode): Promise<Redacted<T | undefined>[]> {
      const redacted = await redact(values, await rulesOf(sql, mode));
      return redacted.map(({ value, hits }) =>
        decisionOf(hits) === 'block' ? { value: undefined, hits } : { value, hits },
      );
    },

    /** Returns a stored value as the current policies allow. It was made under earlier ones. */
    async shown<T>(value: T, mode: Mode, actor: Actor, subject: Record<string, string>): Promise<T> {
      const [redacted] = await redact([value], await rulesOf(sql, mode));
      await settle({ hits: redacted?.hits ?? [], mode, actor, subject });
      return redacted?.value ?? value;
    },
  };
}

/** Redacts cheap values in place, and others in a process. */
export function createRedact(run: RunByCost<typeof governanceWork>) {
  return async <T>(values: T[], rules: Rule[]): Promise<Redacted<T>[]> => {
    if (rules.length === 0) return values.map((value) => ({ value, hits: [] }));
    const cost = costOfJudging(rules, charactersIn(values));
    return (await run('governance.redact', { values, rules }, { cost })) as Redacted<T>[];
  };
}

/** Lists the policies in force. */
export function rulesOf(sql: Queryable, mode: Mode): Promise<Rule[]> {
  return store.listRules(sql, mode);
}

/** A decision of policies, and what it was about. */
interface Decision {
  mode: Mode;
  hits: readonly PolicyHit[];
  actor: Actor;
  subject: Record<string, string>;
}

export async function recordDecision(sql: Queryable, { mode, hits, actor, subject }: Decision) {
  const details = {
    ...subject,
    decision: decisionOf(hits),
    policies: hits.map(({ policy_id }) => policy_id).join(' '),
    hit_count: hits.reduce((sum, { count }) => sum + count, 0),
  };
  await recordAudit(sql, { action: 'governance.decided', mode, actor, details });
}

/** An error that names the policies, never the text that they found. */
export function blocked(hits: readonly PolicyHit[]): NexusError {
  const names = hits.filter(({ action }) => action === 'block').map(({ name }) => name);
  const message = `Blocked by the policy ${names.join(', ')}. An admin can change it.`;
  return new NexusError('E_GOVERNANCE_BLOCKED', message);
}
