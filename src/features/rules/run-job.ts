import { z } from 'zod';
import type { RuleRun } from '../../contract/rules.ts';
import { id } from '../../contract/wire.ts';
import { continueAfter } from '../../platform/cursor.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { defineJobType, type JobContext } from '../../platform/jobs/job-type.ts';
import { PermanentError } from '../../platform/work/retry-policy.ts';
import type { Requester } from '../identity/requester.ts';
import type { Viewer } from '../libraries/access/can-read-media.ts';
import { holdMedia, lockContents } from '../libraries/closure/lock-contents.ts';
import type { MediaLists } from '../media/lists/list.ts';
import { applyActions, permanently, previewActions, ruleQuery } from './apply.ts';
import { emitRunEnded } from './run-events.ts';
import * as store from './run-store.ts';

/** Media that are found with one search. */
const FOUND_AT_ONCE = 1000;
/** Media that are changed in one transaction. Fewer for a library, where each is written for every member. */
const BATCH = 100;
const BATCH_IN_LIBRARY = 50;

/** The checkpoint: the last media of the last batch. */
const PLACE = 'rule_run_place';
const placeSchema = z.object({ last_media_id: id });

export const runPayload = z.strictObject({ run_id: id });

interface RunJobDependencies {
  sql: Database;
  requester: Requester;
  mediaLists: Pick<MediaLists, 'matchingIds' | 'matchingAmong'>;
}

/**
 * Applies a rule to everything that matches, in the order of the media's ids. Each batch is one transaction: the changes,
 * their record and a checkpoint. A cancelled run therefore knows what it did, and one whose worker died continues after
 * its last batch.
 */
export function defineRunRule({ sql, requester, mediaLists }: RunJobDependencies) {
  return defineJobType('run_rule', {
    payload: runPayload,
    async prepareRequeue(tx, { run_id }) {
      return (await store.reopenRun(tx, run_id)) ? undefined : 'The run was undone or deleted.';
    },
    async onEnded(tx, { payload: { run_id }, status, error_text }) {
      const user_id = await store.markEnded(tx, run_id, { status, error_text });
      if (user_id) await emitRunEnded(tx, { run_id, user_id, status, is_undo: false });
    },
    async handler({ run_id }, context) {
      const viewer = await requester(context.createdBy);
      await store.markRunning(sql, run_id);
      const run = (await store.findRun(sql, viewer.user_id, run_id)) ?? runIsGone();
      await walk(run, viewer, context).catch(permanently);
      const done = await store.findRun(sql, viewer.user_id, run_id);
      return { result: { run_id, matched: done?.matched_count ?? 0, changed: done?.changed_count ?? 0 } };
    },
  });

  async function walk(run: RuleRun, viewer: Viewer, context: JobContext): Promise<void> {
    const size = run.actions.library_id === undefined ? BATCH : BATCH_IN_LIBRARY;
    const place = placeSchema.safeParse(await context.lastCheckpoint(PLACE));
    let cursor = place.success ? continueAfter(place.data.last_media_id).next_cursor : null;
    let done = run.matched_count;
    do {
      const { ids, page } = await mediaLists.matchingIds(viewer, {
        ...ruleQuery(run.query),
        cursor: cursor ?? undefined,
        limit: FOUND_AT_ONCE,
      });
      for (let start = 0; start < ids.length; start += size) {
        context.signal.throwIfAborted();
        const batch = ids.slice(start, start + size);
        done += await transaction(sql, (tx) => runBatch(tx, viewer, batch, { run, context }));
        await context.progress({ done });
      }
      cursor = page.next_cursor;
    } while (cursor !== null);
  }

  /** Applies the rule to one batch, or lists what it would change. Returns how many match. */
  async function runBatch(
    tx: Transaction,
    viewer: Viewer,
    ids: string[],
    { run, context }: { run: RuleRun; context: JobContext },
  ): Promise<number> {
    const { library_id } = run.actions;
    if (!run.is_dry_run) await lockContents(tx, library_id === undefined ? [] : [library_id], ids);
    const held = await holdMedia(tx, ids);
    const found = await mediaLists.matchingAmong(tx, viewer, ruleQuery(run.query), ids);
    const matching = found.filter((mediaId) => held.has(mediaId));
    const application = {
      ruleId: run.rule_id,
      actions: run.actions,
      requestId: context.requestId ?? undefined,
    };
    const outcomes = run.is_dry_run
      ? await previewActions(tx, viewer, matching, run.actions)
      : await applyActions(tx, viewer, matching, application);
    // After everything that may wait, so that cancelling does not. Before the run is locked: cancelling locks both in this order.
    await context.checkpoint(tx, { artifact_type: PLACE, artifact_payload: { last_media_id: ids.at(-1) } });
    await store.insertItems(tx, run.id, outcomes);
    return outcomes.length;
  }
}

export function runIsGone(): never {
  throw new PermanentError('E_NOT_FOUND', 'The run was deleted.');
}
