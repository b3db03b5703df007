import { NexusError } from '../../contract/errors.ts';
import {
  type CreateRule,
  type EditRule,
  MOST_RULES,
  type Rule,
  type RuleActions,
} from '../../contract/rules.ts';
import type { ListQuery } from '../../contract/wire.ts';
import type { Actor } from '../../platform/audit/audit.ts';
import { cutPage, readCursor } from '../../platform/cursor.ts';
import type { Database, Queryable, Transaction } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import { versionOf } from '../../platform/version-tag.ts';
import { requireMembership } from '../libraries/access/access.ts';
import type { Viewer } from '../libraries/access/can-read-media.ts';
import { requireContributor } from '../libraries/access/contributing.ts';
import { parseQuery } from '../media/search/query/parse.ts';
import * as store from './store.ts';

export type Rules = ReturnType<typeof createRules>;

/** The rules that people have made for themselves. Nobody else sees them. */
export function createRules({ sql }: { sql: Database }) {
  async function requireRule(viewer: Viewer, id: string): Promise<Rule> {
    return (await store.findRule(sql, viewer.user_id, id)) ?? ruleNotFound();
  }

  return {
    get: requireRule,

    /** Lists rules, oldest first. */
    async list(viewer: Viewer, { cursor, limit }: ListQuery) {
      const last = readCursor(cursor);
      return cutPage(await store.listRules(sql, viewer.user_id, { last, limit: limit + 1 }), limit);
    },

    async create(viewer: Viewer, given: CreateRule, actor: Actor): Promise<Rule> {
      const { is_enabled = true, ...fields } = given;
      parseQuery(fields.query);
      const id = newId();
      const create = async (tx: Transaction) => {
        await requireTarget(tx, viewer, fields.actions);
        if ((await store.countRules(tx, viewer.user_id)) >= MOST_RULES) {
          throw new NexusError('E_INVALID_STATE', `You have ${MOST_RULES} rules. Delete some of them first.`);
        }
        await store.insertRule(tx, viewer.user_id, { id, is_enabled, ...fields });
      };
      await transaction(sql, create, actor);
      return requireRule(viewer, id);
    },

    async edit(viewer: Viewer, id: string, given: EditRule, actor: Actor): Promise<Rule> {
      if (given.query !== undefined) parseQuery(given.query);
      await transaction(sql, async (tx) => {
        const before = (await store.lockRule(tx, viewer.user_id, id)) ?? ruleNotFound();
        actor.requireVersion?.(ruleVersion(before));
        if (given.actions) await requireTarget(tx, viewer, given.actions);
        const { name = before.name, query = before.query } = given;
        const { actions = before.actions, is_enabled = before.is_enabled } = given;
        await store.updateRule(tx, { id, name, query, actions, is_enabled });
      });
      return requireRule(viewer, id);
    },

    /** Deletes a rule. What it has changed stays. */
    async delete(viewer: Viewer, id: string): Promise<void> {
      await transaction(sql, async (tx) => {
        if (!(await store.deleteRule(tx, viewer.user_id, id))) ruleNotFound();
      });
    },
  };
}

/** Requires that the viewer may add to the library of the actions. */
async function requireTarget(sql: Queryable, viewer: Viewer, { library_id }: RuleActions): Promise<void> {
  if (library_id === undefined) return;
  const library = requireContributor(await requireMembership(sql, viewer.user_id, library_id));
  if (!library.is_default) return;
  throw new NexusError(
    'E_DEFAULT_LIBRARY_FORBIDDEN',
    'What you save is in your own library already. Choose a shared library.',
  );
}

/** Names the state of a rule. */
export function ruleVersion({ name, query, actions, is_enabled }: Rule): string {
  return versionOf(name, query, actions, is_enabled);
}

export function ruleNotFound(): never {
  throw new NexusError('E_NOT_FOUND', 'You have no such rule.');
}
