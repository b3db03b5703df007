import type { RuleRun } from '../../contract/rules.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { defineJobType, type JobContext } from '../../platform/jobs/job-type.ts';
import type { Requester } from '../identity/requester.ts';
import type { Viewer } from '../libraries/access/can-read-media.ts';
import { lockContents } from '../libraries/closure/lock-contents.ts';
import { takeBackMedia } from '../libraries/library-media.ts';
import { takeBackRuleChanges } from '../media/mine/rule-changes.ts';
import { emitRunEnded } from './run-events.ts';
import { runIsGone, runPayload } from './run-job.ts';
import * as store from './run-store.ts';

const BATCH = 50;
const PLACE = 'undone_rule_run';

interface UndoDependencies {
  sql: Database;
  requester: Requester;
}

/**
 * Takes back what a run changed, as far as nobody has changed it since. Each batch is one transaction, and marks its items:
 * a job that runs again continues with the others.
 */
export function defineUndoRun({ sql, requester }: UndoDependencies) {
  return defineJobType('undo_rule_run', {
    payload: runPayload,
    async prepareRequeue(tx, { run_id }) {
      await store.markUndo(tx, run_id, 'queued');
      return undefined;
    },
    async onEnded(tx, { payload: { run_id }, status }) {
      const user_id = await store.markUndo(tx, run_id, status);
      if (user_id) await emitRunEnded(tx, { run_id, user_id, status, is_undo: true });
    },
    async handler({ run_id }, context) {
      const viewer = await requester(context.createdBy);
      await store.markUndo(sql, run_id, 'running');
      const run = (await store.findRun(sql, viewer.user_id, run_id)) ?? runIsGone();
      let done = 0;
      for (;;) {
        context.signal.throwIfAborted();
        const items = await store.listToUndo(sql, run_id, BATCH);
        if (items.length === 0) break;
        await transaction(sql, (tx) => undoBatch(tx, viewer, items, { run, context }));
        done += items.length;
        await context.progress({ done });
      }
      return { result: { run_id } };
    },
  });

  async function undoBatch(
    tx: Transaction,
    viewer: Viewer,
    items: store.ItemToUndo[],
    { run, context }: { run: RuleRun; context: JobContext },
  ): Promise<void> {
    const { library_id: libraryId } = run.actions;
    const mediaIds = items.map(({ media_id }) => media_id);
    await lockContents(tx, libraryId === undefined ? [] : [libraryId], mediaIds);
    const requestId = context.requestId ?? undefined;
    const removed = new Set(await removeAdded(tx, viewer, items, { libraryId, requestId }));
    const own = await takeBackRuleChanges(tx, viewer, items, { requestId });
    const undone = items.map(({ media_id, is_added }): store.UndoneItem => {
      const { isTaken = false, kept = [] } = own.get(media_id) ?? {};
      const isRemoved = removed.has(media_id);
      return {
        media_id,
        isTaken: isTaken || isRemoved,
        kept: is_added && !isRemoved ? [...kept, 'library'] : kept,
      };
    });
    // Where it is in the batch of a run, for the same reasons.
    await context.checkpoint(tx, {
      artifact_type: PLACE,
      artifact_payload: { last_media_id: mediaIds.at(-1) },
    });
    await store.markItemsUndone(tx, run.id, undone);
  }

  async function removeAdded(
    tx: Transaction,
    viewer: Viewer,
    items: store.ItemToUndo[],
    { libraryId, requestId }: { libraryId: string | undefined; requestId: string | undefined },
  ): Promise<string[]> {
    const added = items
      .filter(({ is_added }) => is_added)
      .map(({ media_id, changed_at }) => ({ media_id, added_at: changed_at }));
    if (libraryId === undefined || added.length === 0) return [];
    return takeBackMedia(tx, viewer, { libraryId, added, requestId });
  }
}
