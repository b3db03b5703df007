import type { FailureStage, MediaAttempt, MediaKind, ProcessingStatus } from '../../../contract/media.ts';
import type { Queryable, Transaction } from '../../../platform/database/database.ts';

/** Whether a media is stranded: it is neither ready nor failed, and has no live job or open upload. */
const isStranded = (sql: Queryable) => sql`(
  media.processing_status in ('pending', 'extracting', 'ready_for_reading', 'embedding')
  and not exists (select from job_queue where job_queue.job_id = media.job_id)
  and not exists (select from uploads where uploads.media_id = media.id and uploads.status = 'open')
)`;

/** Locks a media that this job is still processing. */
export async function lockProcessed(tx: Transaction, mediaId: string, jobId: string) {
  const [media] = await tx<{ kind: MediaKind; processing_status: ProcessingStatus }[]>`
    select kind, processing_status
    from media
    where id = ${mediaId} and job_id = ${jobId} and processing_status not in ('ready', 'failed')
    for no key update`;
  return media;
}

/** Locks a media that is stranded, so that it gets no job before the transaction ends. Returns its status. */
export async function lockStranded(tx: Transaction, mediaId: string): Promise<ProcessingStatus | undefined> {
  await tx`select from media where id = ${mediaId} for no key update`;
  const [media] = await tx<{ processing_status: ProcessingStatus }[]>`
    select processing_status from media where id = ${mediaId} and ${isStranded(tx)}`;
  return media?.processing_status;
}

/** Locks a media whose job is requeued. */
export async function lockForRequeue(tx: Transaction, mediaId: string) {
  const [media] = await tx<
    { processing_status: ProcessingStatus; failure_stage: FailureStage | null; has_live_job: boolean }[]
  >`
    select
      processing_status, failure_stage,
      exists (select from job_queue where job_queue.job_id = media.job_id) as has_live_job
    from media
    where id = ${mediaId}
    for no key update`;
  return media;
}

/** Sets a job that the media had before as its current one again. */
export async function setJob(tx: Transaction, mediaId: string, jobId: string): Promise<void> {
  await tx`update media set job_id = ${jobId} where id = ${mediaId}`;
}

/** Selects stranded media. One of a kind without an extractor may wait for a release that has one. */
export function strandedDifferences(sql: Queryable, mediaIds: string[], waitingKinds: string[]) {
  return sql`
    select 'media_stuck' as kind, media.id as media_id, media.processing_status
    from media
    where media.id = any(${mediaIds}::uuid[])
      and ${isStranded(sql)}
      and not (media.job_id is null and media.kind = any(${waitingKinds}::text[]))
    order by media.id`;
}

/** Lists readable media whose indexing failed an hour ago or earlier, and was not cancelled. */
export async function listUnindexed(sql: Queryable, limit: number) {
  return sql<{ id: string; kind: MediaKind; processing_status: 'failed' }[]>`
    select media.id, media.kind, media.processing_status
    from media
    where media.processing_status = 'failed'
      and media.failure_stage = 'embed'
      and media.failed_at < now() - interval '1 hour'
      and not exists (select from jobs where jobs.id = media.job_id and jobs.cancelled_at is not null)
    order by media.failed_at
    limit ${limit}`;
}

/** Lists the attempts of all jobs of a media, including a running one, in the order in which they started. */
export async function listAttempts(sql: Queryable, mediaId: string) {
  return sql<
    (Omit<MediaAttempt, 'attempt_number' | 'summary'> & { error_text: string | null; next_at: Date | null })[]
  >`
    select
      case jobs.job_type when 'embed_media' then 'index' else 'extract' end as step,
      attempt.status, attempt.error_text, attempt.error_code, attempt.started_at, attempt.finished_at,
      case when attempt.attempt_number = job_queue.attempt_count then job_queue.due_at end as next_at
    from media_jobs
    join jobs on jobs.id = media_jobs.job_id
    left join job_queue on job_queue.job_id = jobs.id
    cross join lateral (
      select attempt_number, status, error_text, error_code, started_at, finished_at
      from job_attempts
      where job_attempts.job_id = jobs.id
      union all
      select job_queue.attempt_count, 'running', null, null, job_queue.started_at, null
      where job_queue.started_at is not null
    ) as attempt
    where media_jobs.media_id = ${mediaId}
    order by attempt.started_at, jobs.id, attempt.attempt_number`;
}
