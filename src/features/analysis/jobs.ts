import { z } from 'zod';
import { analyzePayload, type PluginProfile } from '../../contract/analysis.ts';
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

export interface AnalysisJobsDependencies {
  sql: Database;
  runAnalysis: RunAnalysis;
  authorise: Runs['authorise'];
}

/** The profile that a run is compared with. */
const OTHER_PROFILE: Record<PluginProfile, PluginProfile> = {
  deterministic: 'ml_first',
  ml_first: 'deterministic',
  ml_only: 'deterministic',
};

const shadowPayload = z.strictObject({ analysis_run_id: id });

export function defineAnalysisJobs({
  sql,
  runAnalysis,
  authorise,
  // biome-ignore lint/suspicious/noExplicitAny: job types of different payloads
}: AnalysisJobsDependencies): JobType<any>[] {
  const shadow = defineJobType('analyze_shadow', {
    payload: shadowPayload,
    async handler({ analysis_run_id }, context) {
      const primary = await store.findAnyRun(sql, analysis_run_id);
      // The run was deleted with its document.
      if (!primary) return {};
      const finished = await runAnalysis(
        {
          document_id: primary.document_id,
          mode: primary.mode,
          plugin_profile: OTHER_PROFILE[primary.plugin_profile],
          layers: primary.layers.map(({ layer }) => layer),
          shadowOf: primary.id,
          jobId: context.jobId,
          createdBy: context.createdBy,
          requestId: context.requestId,
        },
        context.signal,
      );
      await transaction(sql, async (tx) => {
        await write(tx, finished);
        await emitEvent(tx, {
          eventType: 'analysis.compared',
          aggregateType: 'analysis_run',
          aggregateId: primary.id,
          payload: {
            analysis_run_id: primary.id,
            document_id: primary.document_id,
            created_by_user_id: finished.run.created_by_user_id,
          },
          requestId: context.requestId ?? undefined,
        });
        await complete(tx, finished, context);
      });
      return undefined;
    },
  });

  const analyze = defineJobType('analyze', {
    payload: analyzePayload,
    submittedBy: 'operator',
    hasShadow: true,
    authorise,
    async handler(payload, context) {
      const { jobId, createdBy, requestId, executionMode } = context;
      const finished = await runAnalysis({ ...payload, jobId, createdBy, requestId }, context.signal);
      await transaction(sql, async (tx) => {
        await write(tx, finished);
        if (executionMode === 'shadow') await enqueueShadow(tx, finished, context);
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

async function write(tx: Transaction, { run, hits, actor, requireStillReadable }: FinishedRun) {
  await requireStillReadable(tx);
  await store.insertRun(tx, run);
  const subject = { analysis_run_id: run.id, document_id: run.document_id };
  await recordDecision(tx, { mode: run.mode, hits, actor, subject });
}

async function emitCompleted(tx: Transaction, { run, actor }: FinishedRun): Promise<void> {
  await emitEvent(tx, {
    eventType: 'analysis.completed',
    aggregateType: 'analysis_run',
    aggregateId: run.id,
    payload: {
      analysis_run_id: run.id,
      document_id: run.document_id,
      layer_count: run.layers.length,
      created_by_user_id: run.created_by_user_id,
    },
    requestId: actor.requestId,
  });
}

/** Completes the job. The run, its event and the end of its job are one commit, so only one attempt can write them. */
async function complete(tx: Transaction, { run }: FinishedRun, context: JobContext): Promise<void> {
  const result = { analysis_run_id: run.id, layer_count: run.layers.length };
  await context.complete(tx, {
    result,
    artifacts: [{ artifact_type: 'analyze_result', artifact_payload: result }],
  });
}
