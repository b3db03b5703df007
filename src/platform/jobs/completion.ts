import type { Database, Transaction } from '../database/database.ts';
import { transaction } from '../database/transaction.ts';
import { newId } from '../ids.ts';
import type { LeasedJob } from './claim.ts';
import { type Endings, endedJob } from './endings.ts';
import type { Artifact, Completion } from './job-type.ts';

/** The job ran elsewhere, was cancelled, or its lease expired: what this attempt did must not be kept. */
export class LeaseLost extends Error {
  constructor(job: LeasedJob) {
    super(`The job ${job.id} is no longer leased to attempt ${job.attempt}.`);
    this.name = 'LeaseLost';
  }
}

/** Completes a job in the given transaction, or in one of its own when given a pool. */
export async function completeInTransaction(
  sql: Database | Transaction,
  job: LeasedJob,
  workerName: string,
  runtimeMs: number,
  completion: Completion,
  endings?: Endings,
): Promise<void> {
  if (!isTransaction(sql)) {
    return transaction(sql, (tx) =>
      completeInTransaction(tx, job, workerName, runtimeMs, completion, endings),
    );
  }
  const result = completion.result === undefined ? null : JSON.stringify(completion.result);
  const ended = await sql`
    with ended as (
      delete from job_queue
      where job_id = ${job.id} and lease_token = ${job.lease_token} and attempt_count = ${job.attempt}
      returning queue, due_at, started_at
    )
    insert into job_attempts (job_id, attempt_number, status, result, worker, queue, due_at, started_at, runtime_ms)
    select
      ${job.id}, ${job.attempt}, 'succeeded', ${result}::jsonb, ${workerName}, queue, due_at, started_at, ${runtimeMs}
    from ended`;
  if (ended.count === 0) throw new LeaseLost(job);
  if (endings?.concern(job.job_type)) await endings.tell(sql, [endedJob(job, 'succeeded', null)]);
  const artifacts = completion.artifacts ?? [];
  await forgetCheckpoints(sql, job, artifacts);
  for (const artifact of artifacts) await insertArtifact(sql, job, artifact);
}

/** The job cannot be cancelled, or taken over, between this and the end of the transaction. */
export async function writeCheckpoint(tx: Transaction, job: LeasedJob, artifact: Artifact): Promise<void> {
  const leased = await tx`
    select
    from job_queue
    where job_id = ${job.id} and lease_token = ${job.lease_token} and attempt_count = ${job.attempt}
    for share`;
  if (leased.length === 0) throw new LeaseLost(job);
  await forgetCheckpoints(tx, job, [artifact]);
  await insertArtifact(tx, job, artifact);
}

export async function findCheckpoint(
  sql: Database,
  job: LeasedJob,
  artifactType: string,
): Promise<Record<string, unknown> | undefined> {
  const [found] = await sql<{ artifact_payload: Record<string, unknown> }[]>`
    select artifact_payload from job_artifacts where job_id = ${job.id} and artifact_type = ${artifactType}`;
  return found?.artifact_payload;
}

async function forgetCheckpoints(tx: Transaction, job: LeasedJob, artifacts: Artifact[]): Promise<void> {
  if (artifacts.length === 0) return;
  await tx`
    delete from job_artifacts
    where job_id = ${job.id} and artifact_type = any(${artifacts.map(({ artifact_type }) => artifact_type)})`;
}

async function insertArtifact(tx: Transaction, job: LeasedJob, artifact: Artifact): Promise<void> {
  const { artifact_type, artifact_ref = null, artifact_payload = {} } = artifact;
  await tx`
    insert into job_artifacts (id, job_id, artifact_type, artifact_ref, artifact_payload)
    values (${newId()}, ${job.id}, ${artifact_type}, ${artifact_ref}, ${JSON.stringify(artifact_payload)})`;
}

/** False when the lease is lost and nothing was written. */
export async function writeProgress(
  sql: Database,
  job: LeasedJob,
  progress: Record<string, unknown>,
): Promise<boolean> {
  const written = await sql`
    update job_queue
    set progress = ${JSON.stringify(progress)}
    where job_id = ${job.id} and lease_token = ${job.lease_token} and attempt_count = ${job.attempt}`;
  return written.count === 1;
}

function isTransaction(sql: Database | Transaction): sql is Transaction {
  return 'afterCommit' in sql;
}
