import { NexusError } from '../../contract/errors.ts';
import type { Evaluation } from '../../contract/governance.ts';
import type { Principal } from '../../contract/identity.ts';
import type { Mode } from '../../contract/roles.ts';
import { type Actor, recordAudit } from '../../platform/audit/audit.ts';
import type { Database, Queryable } from '../../platform/database/database.ts';
import { compileRules, decisionOf, masked, type PolicyHit, type Rule, redactedDeep } from './rules.ts';
import * as store from './store.ts';

export interface GovernanceDependencies {
  sql: Database;
  requireMode(principal: Principal, mode: Mode, actor: Actor): Promise<void>;
}

export type Governance = ReturnType<typeof createGovernance>;

export function createGovernance({ sql, requireMode }: GovernanceDependencies) {
  return {
    async evaluate(text: string, mode: Mode, principal: Principal, actor: Actor): Promise<Evaluation> {
      await requireMode(principal, mode, actor);
      const { decision, hits, redactions } = compileRules(await rulesOf(sql, mode)).judge(text);
      await recordDecision(sql, mode, hits, actor, { subject: 'text' });
      return {
        mode,
        decision,
        allow: decision !== 'block',
        policy_hits: hits,
        redactions,
        text: decision === 'block' ? null : masked(text, redactions),
      };
    },

    /**
     * Something with text in it, made under the policies of its time, as those of now let it be shown. Throws when one
     * of them keeps it back. What nothing is found in is no decision, and leaves no trace.
     */
    async shown<T>(value: T, mode: Mode, actor: Actor, subject: Record<string, string>): Promise<T> {
      const redacted = redactedDeep(value, compileRules(await rulesOf(sql, mode)));
      if (redacted.hits.length === 0) return value;
      await recordDecision(sql, mode, redacted.hits, actor, subject);
      if (decisionOf(redacted.hits) === 'block') throw blocked(redacted.hits);
      return redacted.value;
    },
  };
}

/** The policies in force, for whoever judges texts elsewhere, such as in a thread. */
export function rulesOf(sql: Queryable, mode: Mode): Promise<Rule[]> {
  return store.listRules(sql, mode);
}

export async function recordDecision(
  sql: Queryable,
  mode: Mode,
  hits: readonly PolicyHit[],
  actor: Actor,
  subject: Record<string, string>,
): Promise<void> {
  await recordAudit(sql, {
    action: 'governance.decided',
    mode,
    actor,
    details: {
      ...subject,
      decision: decisionOf(hits),
      policies: hits.map(({ policy_id }) => policy_id).join(' '),
      hit_count: hits.reduce((sum, { count }) => sum + count, 0),
    },
  });
}

/** Names the policies, never what they found. */
export function blocked(hits: readonly PolicyHit[]): NexusError {
  const names = hits.filter(({ action }) => action === 'block').map(({ name }) => name);
  return new NexusError(
    'E_GOVERNANCE_BLOCKED',
    `This is kept back by the policy ${names.join(', ')}. An admin can change it.`,
  );
}
