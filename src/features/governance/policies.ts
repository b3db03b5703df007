import { NexusError } from '../../contract/errors.ts';
import type { CreatePolicy, Policy, UpdatePolicy } from '../../contract/governance.ts';
import { invalidField } from '../../contract/invalid-request.ts';
import { type Actor, recordAudit } from '../../platform/audit/audit.ts';
import { cutPage, readCursor } from '../../platform/cursor.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import { versionOf } from '../../platform/version-tag.ts';
import { compilePattern } from './pattern.ts';
import { PatternError } from './pattern-syntax.ts';
import * as store from './store.ts';

const UNIQUE_VIOLATION = '23505';

export type Policies = ReturnType<typeof createPolicies>;

/** Manages policies. A change applies to the next text, because policies are not cached. */
export function createPolicies({ sql }: { sql: Database }) {
  async function requireChangeable(tx: Transaction, id: string): Promise<Policy> {
    const policy = (await store.lockPolicy(tx, id)) ?? policyNotFound(id);
    if (policy.source === 'api') return policy;
    throw new NexusError(
      'E_INVALID_STATE',
      'This policy comes from NEXUS_BLOCKED_TERMS. Change it there and restart Nexus.',
    );
  }

  return {
    async list(query: { cursor?: string | undefined; limit: number }) {
      const rows = await store.listPolicies(sql, readCursor(query.cursor), query.limit + 1);
      return cutPage(rows, query.limit);
    },

    async get(id: string): Promise<Policy> {
      return (await store.findPolicy(sql, id)) ?? policyNotFound(id);
    },

    create(fields: CreatePolicy, actor: Actor): Promise<Policy> {
      checkPatterns(fields.patterns);
      return transaction(
        sql,
        async (tx) => {
          const drafted = { ...fields, id: newId(), created_by: actor.name };
          const policy = (await store.insertPolicy(tx, drafted)) ?? nameTaken(fields.name);
          await recordAudit(tx, { action: 'governance.policy_created', actor, ...told(policy) });
          return policy;
        },
        actor,
      );
    },

    update(id: string, change: UpdatePolicy, actor: Actor): Promise<Policy> {
      checkPatterns(change.patterns ?? []);
      return transaction(sql, async (tx) => {
        const current = await requireChangeable(tx, id);
        actor.requireVersion?.(policyVersion(current));
        const given = Object.entries(change).filter(([, value]) => value !== undefined);
        const wanted: Policy = { ...current, ...Object.fromEntries(given) };
        if (wanted.terms.length + wanted.patterns.length === 0) {
          const message = 'must not be empty without a pattern. Delete or disable the policy instead';
          throw invalidField('terms', message, 'too_small');
        }
        const policy = await store.updatePolicy(tx, wanted);
        await recordAudit(tx, { action: 'governance.policy_updated', actor, ...told(policy) });
        return policy;
      }).catch((error) => {
        if (error.code === UNIQUE_VIOLATION) nameTaken(change.name ?? '');
        throw error;
      });
    },

    remove(id: string, actor: Actor): Promise<void> {
      return transaction(sql, async (tx) => {
        const policy = await requireChangeable(tx, id);
        await store.deletePolicy(tx, id);
        await recordAudit(tx, { action: 'governance.policy_deleted', actor, ...told(policy) });
      });
    },
  };
}

/** Writes the policy of NEXUS_BLOCKED_TERMS: its terms are redacted in PUBLIC mode. Without terms it is disabled. */
export async function seedConfiguredPolicy(sql: Database, terms: readonly string[]): Promise<void> {
  await store.putConfiguredPolicy(sql, {
    id: newId(),
    name: 'NEXUS_BLOCKED_TERMS',
    mode: 'PUBLIC',
    action: 'redact',
    terms: [...terms],
    patterns: [],
    is_enabled: terms.length > 0,
    created_by: 'system',
  });
}

function checkPatterns(patterns: readonly string[]): void {
  for (const [index, pattern] of patterns.entries()) {
    try {
      compilePattern(pattern);
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      throw invalidField(`patterns.${index}`, `is not a valid pattern: ${error.message}`, 'wrong_format');
    }
  }
}

/** Names the state of a policy. */
export function policyVersion({ name, mode, action, terms, patterns, is_enabled }: Policy): string {
  return versionOf(name, mode, action, terms, patterns, is_enabled);
}

function policyNotFound(id: string): never {
  throw new NexusError('E_NOT_FOUND', `The policy ${id} does not exist.`);
}

function nameTaken(name: string): never {
  throw new NexusError('E_POLICY_NAME_TAKEN', `A policy named ${name} already exists. Choose another name.`);
}

/** The details of a policy for the audit log, without its terms and patterns. */
function told({ id, name, mode, action, is_enabled, terms, patterns }: Policy) {
  const counts = { term_count: terms.length, pattern_count: patterns.length };
  return { mode, details: { policy_id: id, name, action, is_enabled, ...counts } };
}
