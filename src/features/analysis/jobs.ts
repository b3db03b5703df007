import { z } from 'zod';
import { analyzedMediaId, analyzePayload, type PluginProfile } from '../../contract/analysis.ts';
import { id } from '../../contract/wire.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { defineJobType, type JobContext, type JobType } from '../../platform/jobs/job-type.ts';
import { enqueue } from '../../platform/jobs/submit/enqueue.ts';
import { emitEvent } from '../../platform/outbox/emit-event.ts';
import { recordDecision } from '../governance/governance.ts';
import type { FinishedRun, RunAnalysis } from './run-analysis.ts';
import type { Runs } from './runs.ts';
import * as store from './store.ts';

interface AnalysisJobsDependencies extends Pick<Runs, 'authorise'> {
  sql: Database;
  runAnalysis: RunAnalysis;
}

/** The profile that a run is compared with. */
const OTHER_PROFILE: Record<PluginProfile, PluginProfile> = {
  deterministic: 'ml_first',
  ml_first: 'deterministic',
  ml_only: 'deterministic',
};

// biome-ignore lint/suspicious/noExplicitAny: job types of different payloads
type AnyJobType = JobType<any>;

export function defineAnalysisJobs({ sql, runAnalysis, authorise }: AnalysisJobsDependencies): AnyJobType[] {
  const shadow = defineJobType('analyze_shadow', {
    payload: z.strictObject({ analysis_run_id: id }),
    async handler({ analysis_run_id }, context) {
      const primary = await store.findAnyRun(sql, analysis_run_id);
      // The run was deleted with its document.
      if (!primary) return {};
      const { media_id, mode } = primary;
      const plugin_profile = OTHER_PROFILE[primary.plugin_profile];
      const layers = primary.layers.map(({ layer }) => layer);
      const request = { media_id, mode, plugin_profile, layers, shadowOf: primary.id };
      const finished = await runAnalysis({ ...request, ...origin(context) }, context.signal);
      await transaction(sql, async (tx) => {
        await write(tx, finished);
        await complete(tx, finished, context);
      });
      return undefined;
    },
    /** Tells open pages that the comparison is there, or has failed for good. */
    async onEnded(tx, { payload: { analysis_run_id }, created_by_user_id, request_id }) {
      const media_id = await store.findMediaId(tx, analysis_run_id);
      if (media_id === undefined || created_by_user_id === null) return;
      const payload = { analysis_run_id, media_id, created_by_user_id };
      const aggregate = { aggregateType: 'analysis_run', aggregateId: analysis_run_id };
      const requestId = request_id ?? undefined;
      await emitEvent(tx, { eventType: 'analysis.compared', ...aggregate, payload, requestId });
    },
  });

  const analyze = defineJobType('analyze', {
    payload: analyzePayload,
    submittedBy: 'operator',
    hasShadow: true,
    authorise,
    async handler(payload, context) {
      const finished = await runAnalysis(
        { ...payload, media_id: analyzedMediaId(payload), ...origin(context) },
        context.signal,
      );
      await transaction(sql, async (tx) => {
        await write(tx, finished);
        if (context.executionMode === 'shadow') await enqueueShadow(tx, finished, context);
        await emitCompleted(tx, finished);
        await complete(tx, finished, context);
      });
      return undefined;
    },
  });

  async function enqueueShadow(tx: Transaction, { run }: FinishedRun, context: JobContext): Promise<void> {
    const { id: jobId } = await enqueue(tx, {
      type: shadow,
      payload: { analysis_run_id: run.id },
      createdBy: context.createdBy ?? undefined,
      requestId: context.requestId ?? undefined,
    });
    await store.insertShadow(tx, run.id, jobId);
  }

  return [analyze, shadow];
}

const origin = ({ jobId, createdBy, requestId }: JobContext) => ({ jobId, createdBy, requestId });

async function write(tx: Transaction, { run, hits, actor, requireStillReadable }: FinishedRun) {
  await requireStillReadable(tx);
  await store.insertRun(tx, run);
  const subject = { analysis_run_id: run.id, media_id: run.media_id };
  await recordDecision(tx, { mode: run.mode, hits, actor, subject });
}

async function emitCompleted(tx: Transaction, { run, actor }: FinishedRun): Promise<void> {
  const { id: analysis_run_id, media_id, layers, created_by_user_id } = run;
  const payload = { analysis_run_id, media_id, layer_count: layers.length, created_by_user_id };
  const aggregate = { aggregateType: 'analysis_run', aggregateId: analysis_run_id };
  const { requestId } = actor;
  await emitEvent(tx, { eventType: 'analysis.completed', ...aggregate, payload, requestId });
}

/** Completes the job. The run, its event and the end of its job are one commit, so only one attempt can write them. */
async function complete(tx: Transaction, { run }: FinishedRun, context: JobContext): Promise<void> {
  const result = { analysis_run_id: run.id, layer_count: run.layers.length };
  const artifacts = [{ artifact_type: 'analyze_result', artifact_payload: result }];
  await context.complete(tx, { result, artifacts });
}
