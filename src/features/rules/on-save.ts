import { z } from 'zod';
import { NexusError } from '../../contract/errors.ts';
import type { Rule } from '../../contract/rules.ts';
import { id } from '../../contract/wire.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { defineJobType, type JobContext } from '../../platform/jobs/job-type.ts';
import { enqueueMany, type NewJob } from '../../platform/jobs/submit/enqueue.ts';
import { defineSubscriber } from '../../platform/outbox/subscriber.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { Requester } from '../identity/requester.ts';
import type { Viewer } from '../libraries/access/can-read-media.ts';
import { holdMedia, lockContents } from '../libraries/closure/lock-contents.ts';
import type { MediaLists } from '../media/lists/list.ts';
import { applyActions, isChanged, permanently, ruleQuery } from './apply.ts';
import { insertNotification } from './notification-store.ts';
import * as pending from './pending-store.ts';
import { listEnabledRules } from './store.ts';

/** Lower than that of jobs that make documents readable. */
const PRIORITY = 4;

interface OnSaveDependencies {
  sql: Database;
  requester: Requester;
  mediaLists: Pick<MediaLists, 'matchingAmong'>;
}

/**
 * Applies the rules of a person to what they save, once for each save, as soon as it can be searched. A save waits in
 * `rules_pending` until then. Only saves trigger rules, and rules save nothing, so that no rule triggers another. A rule
 * that fails is logged, and the others are applied.
 */
export function createOnSave({ sql, requester, mediaLists }: OnSaveDependencies) {
  const type = defineJobType('apply_rules', {
    payload: z.strictObject({ user_id: id, media_id: id }),
    async handler({ user_id, media_id }, context) {
      const viewer = await requester({ name: 'rules', userId: user_id });
      await transaction(sql, (tx) => applyAll(tx, viewer, media_id, context)).catch(permanently);
      return undefined;
    },
  });

  async function applyAll(tx: Transaction, viewer: Viewer, mediaId: string, context: JobContext) {
    const rules = await listEnabledRules(tx, viewer.user_id);
    const libraryIds = rules.flatMap(({ actions }) => actions.library_id ?? []);
    await lockContents(tx, libraryIds, [mediaId]);
    if (!(await pending.takePending(tx, viewer, mediaId))) {
      return context.complete(tx, { result: { outcome: 'not pending' } });
    }
    let changed = 0;
    // All queries come before all actions: what one rule changes is not there yet for another.
    const matching = await listMatching(tx, viewer, mediaId, { rules, context });
    for (const rule of matching) {
      if (await applyRule(tx, viewer, mediaId, { rule, context })) changed += 1;
    }
    return context.complete(tx, { result: { outcome: 'applied', matched: matching.length, changed } });
  }

  async function listMatching(
    tx: Transaction,
    viewer: Viewer,
    mediaId: string,
    { rules, context }: { rules: Rule[]; context: JobContext },
  ): Promise<Rule[]> {
    if (!(await holdMedia(tx, [mediaId])).has(mediaId)) return [];
    const matching: Rule[] = [];
    for (const rule of rules) {
      try {
        const found = await mediaLists.matchingAmong(tx, viewer, ruleQuery(rule.query), [mediaId]);
        if (found.length === 1) matching.push(rule);
      } catch (error) {
        logRefusal(context.log, rule, error);
      }
    }
    return matching;
  }

  /** Applies a rule whole, or not at all if it is refused. Returns whether it changed the media. */
  async function applyRule(
    tx: Transaction,
    viewer: Viewer,
    mediaId: string,
    { rule, context }: { rule: Rule; context: JobContext },
  ): Promise<boolean> {
    const { id: ruleId, actions } = rule;
    const application = { ruleId, actions, requestId: context.requestId ?? undefined };
    await tx.script('savepoint before_rule');
    try {
      const outcomes = await applyActions(tx, viewer, [mediaId], application);
      if (actions.notify) await insertNotification(tx, viewer, ruleId, mediaId);
      return outcomes.some(isChanged);
    } catch (error) {
      logRefusal(context.log, rule, error);
      await tx.script('rollback to savepoint before_rule');
      return false;
    }
  }

  const subscriber = defineSubscriber('rules', {
    eventTypes: ['library.media_added', 'media.status_changed'],
    async batchHandler(events) {
      const saves = events.flatMap(({ id: event_id, payload }) =>
        'library_id' in payload ? { ...payload, event_id } : [],
      );
      // Committed before it is read which media are ready: one that becomes ready in between has an event of its own.
      if (saves.length > 0) await transaction(sql, (tx) => pending.insertPending(tx, saves));
      const ready = await pending.listPendingReady(
        sql,
        events.filter(isRelevant).map(({ payload }) => payload.media_id),
      );
      const jobs = ready.map(
        ({ user_id, media_id, event_id }): NewJob<{ user_id: string; media_id: string }> => {
          // An event that is delivered twice has one job.
          return { type, payload: { user_id, media_id }, priority: PRIORITY, idempotencyKey: event_id };
        },
      );
      if (jobs.length > 0) await transaction(sql, (tx) => enqueueMany(tx, jobs as NewJob[]));
    },
  });

  return { type, subscriber };
}

const isRelevant = ({ payload }: { payload: object }) =>
  !('processing_status' in payload) || payload.processing_status === 'ready';

/** Logs why a rule was refused, without its query, which is private. Throws everything that is no refusal. */
function logRefusal(log: Logger, { id: rule_id }: Rule, error: unknown): void {
  if (!(error instanceof NexusError)) throw error;
  log.warn({ rule_id, error_code: error.code }, 'a rule was not applied');
}
