import type { z } from 'zod';
import type { analyze, analyzeAnswer } from '../../contract/analysis.ts';
import type { Principal } from '../../contract/identity.ts';
import type { Job } from '../../contract/jobs.ts';
import type { Actor } from '../../platform/audit/audit.ts';
import type { Runs } from './runs.ts';

export interface SubmitAnalysisDependencies {
  /** Submits a job, with all checks of a submission. */
  submit(
    job: {
      job_type: string;
      payload: Record<string, unknown>;
      execution_mode: 'sync' | 'async' | 'shadow';
      max_attempts: number;
    },
    principal: Principal,
    actor: Actor,
  ): Promise<Job>;
  runs: Runs;
}

export type SubmitAnalysis = ReturnType<typeof createSubmitAnalysis>;

/** Submits an `analyze` job and returns its run. */
export function createSubmitAnalysis({ submit, runs }: SubmitAnalysisDependencies) {
  return async (
    { execution_mode, ...payload }: z.output<typeof analyze>,
    principal: Principal,
    actor: Actor,
  ): Promise<z.output<typeof analyzeAnswer>> => {
    const job = await submit(
      { job_type: 'analyze', payload, execution_mode, max_attempts: 3 },
      principal,
      actor,
    );
    const runId = job.status === 'succeeded' ? String(job.result.analysis_run_id) : null;
    return {
      job_id: job.job_id,
      status: job.status,
      execution_mode,
      analysis_run_id: runId,
      run: runId === null ? null : await runs.get(principal, runId, actor),
      error_code: job.error_code,
      error_text: job.error_text,
    };
  };
}
