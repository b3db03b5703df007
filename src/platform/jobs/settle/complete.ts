import type { Database, Transaction } from '../../database/database.ts';
import { newId } from '../../ids.ts';
import type { LeasedJob } from '../claim/claim.ts';
import type { Artifact, Completion } from '../job-type.ts';
import type { Endings } from './endings.ts';
import { settleAndNotify } from './settle.ts';

/** The job runs elsewhere, was cancelled, or its lease expired: the work of this attempt must not be kept. */
class LeaseLost extends Error {
  constructor(job: LeasedJob) {
    super(`The job ${job.id} is no longer leased to attempt ${job.attempt}.`);
    this.name = 'LeaseLost';
  }
}

interface CompletedAttempt {
  job: LeasedJob;
  workerName: string;
  runtimeMs: number;
  completion: Completion;
  endings: Endings;
}

/** Completes a job, with its artifacts, in the given transaction. */
export async function completeJob(tx: Transaction, attempt: CompletedAttempt): Promise<void> {
  const { job, workerName, runtimeMs, completion, endings } = attempt;
  const result = completion.result === undefined ? null : JSON.stringify(completion.result);
  const outcome = { kind: 'succeeded', job, runtimeMs, result } as const;
  const dropped = await settleAndNotify(tx, workerName, [outcome], endings);
  if (dropped.length > 0) throw new LeaseLost(job);
  await replaceArtifacts(tx, job, completion.artifacts ?? []);
}

/** Writes a checkpoint. Until the transaction ends, the job can be neither cancelled nor taken over. */
export async function writeCheckpoint(tx: Transaction, job: LeasedJob, artifact: Artifact): Promise<void> {
  const leased = await tx`
    select
    from job_queue
    where job_id = ${job.id} and lease_token = ${job.lease_token} and attempt_count = ${job.attempt}
    for share`;
  if (leased.length === 0) throw new LeaseLost(job);
  await replaceArtifacts(tx, job, [artifact]);
}

export async function findCheckpoint(sql: Database, job: LeasedJob, artifactType: string) {
  const [found] = await sql<{ artifact_payload: Record<string, unknown> }[]>`
    select artifact_payload from job_artifacts where job_id = ${job.id} and artifact_type = ${artifactType}`;
  return found?.artifact_payload;
}

/** Writes artifacts in place of the job's earlier ones of the same types. */
async function replaceArtifacts(tx: Transaction, job: LeasedJob, artifacts: Artifact[]): Promise<void> {
  if (artifacts.length === 0) return;
  await tx`
    delete from job_artifacts
    where job_id = ${job.id} and artifact_type = any(${artifacts.map(({ artifact_type }) => artifact_type)})`;
  for (const { artifact_type, artifact_ref = null, artifact_payload = {} } of artifacts)
    await tx`
      insert into job_artifacts (id, job_id, artifact_type, artifact_ref, artifact_payload)
      values (${newId()}, ${job.id}, ${artifact_type}, ${artifact_ref}, ${JSON.stringify(artifact_payload)})`;
}

/** Returns false when the lease is lost and nothing was written. */
export async function writeProgress(sql: Database, job: LeasedJob, progress: Record<string, unknown>) {
  const written = await sql`
    update job_queue
    set progress = ${JSON.stringify(progress)}
    where job_id = ${job.id} and lease_token = ${job.lease_token} and attempt_count = ${job.attempt}`;
  return written.count === 1;
}
