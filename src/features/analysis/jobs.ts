import { z } from 'zod';
import { analyzePayload, type PluginProfile } from '../../contract/analysis.ts';
import { id } from '../../contract/wire.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import type { JobEngine } from '../../platform/jobs/engine.ts';
import { defineJobType, type JobContext, type JobType } from '../../platform/jobs/job-type.ts';
import { emitEvent } from '../../platform/outbox/emit-event.ts';
import { recordDecision } from '../governance/governance.ts';
import type { FinishedRun, Perform } from './perform.ts';
import * as store from './store.ts';

export interface AnalysisJobsDependencies {
  sql: Database;
  perform: Perform;
  engine: () => JobEngine;
}

/** Which profile a run is compared with. */
const OTHER_PROFILE: Record<PluginProfile, PluginProfile> = {
  deterministic: 'ml_first',
  ml_first: 'deterministic',
  ml_only: 'deterministic',
};

const shadowPayload = z.strictObject({ analysis_run_id: id });

// biome-ignore lint/suspicious/noExplicitAny: job types of different payloads
export function defineAnalysisJobs({ sql, perform, engine }: AnalysisJobsDependencies): JobType<any>[] {
  const shadow = defineJobType('analyze_shadow', {
    payload: shadowPayload,
    async handler({ analysis_run_id }, context) {
      const primary = await store.findAnyRun(sql, analysis_run_id);
      // Its document is gone, and it with it.
      if (!primary) return {};
      const finished = await perform(
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
    async handler(payload, context) {
      const { jobId, createdBy, requestId, executionMode } = context;
      const finished = await perform({ ...payload, jobId, createdBy, requestId }, context.signal);
      await transaction(sql, async (tx) => {
        await write(tx, finished);
        if (executionMode === 'shadow') await enqueueShadow(tx, finished, context);
        await tell(tx, finished);
        await complete(tx, finished, context);
      });
      return undefined;
    },
  });

  async function enqueueShadow(tx: Transaction, { run }: FinishedRun, context: JobContext): Promise<void> {
    const { id: jobId } = await engine().enqueue(tx, {
      type: shadow,
      payload: { analysis_run_id: run.id },
      createdBy: context.createdBy ?? undefined,
      requestId: context.requestId ?? undefined,
    });
    await store.insertShadow(tx, run.id, jobId);
  }

  return [analyze, shadow];
}

async function write(
  tx: Transaction,
  { run, hits, actor, requireStillReadable }: FinishedRun,
): Promise<void> {
  await requireStillReadable(tx);
  await store.insertRun(tx, run);
  await recordDecision(tx, run.mode, hits, actor, { analysis_run_id: run.id, document_id: run.document_id });
}

async function tell(tx: Transaction, { run, actor }: FinishedRun): Promise<void> {
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

/** The run, its event and the end of its job are one commit: whichever attempt gets there is the only one that does. */
async function complete(tx: Transaction, { run }: FinishedRun, context: JobContext): Promise<void> {
  const result = { analysis_run_id: run.id, layer_count: run.layers.length };
  await context.complete(tx, {
    result,
    artifacts: [{ artifact_type: 'analyze_result', artifact_payload: result }],
  });
}
