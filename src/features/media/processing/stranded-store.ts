import type { FailureStage, MediaKind, ProcessingStatus } from '../../../contract/media.ts';
import type { Queryable, Transaction } from '../../../platform/database/database.ts';

/** Whether a row of `media` is processed by nothing: it is neither ready nor failed, and has no live job or open upload. */
export const isStranded = (sql: Queryable) => sql`(
  media.processing_status in ('pending', 'extracting', 'ready_for_reading', 'embedding')
  and not exists (select from job_queue where job_queue.job_id = media.job_id)
  and not exists (select from uploads where uploads.media_id = media.id and uploads.status = 'open')
)`;

/** Locks a media that this job is still processing. */
export async function lockProcessed(
  tx: Transaction,
  mediaId: string,
  jobId: string,
): Promise<{ kind: MediaKind; processing_status: ProcessingStatus } | undefined> {
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

export interface RequeuedMedia {
  processing_status: ProcessingStatus;
  failure_stage: FailureStage | null;
  has_live_job: boolean;
}

/** Locks a media for a job that is queued again. */
export async function findForRequeue(tx: Transaction, mediaId: string): Promise<RequeuedMedia | undefined> {
  const [media] = await tx<RequeuedMedia[]>`
    select
      processing_status, failure_stage,
      exists (select from job_queue where job_queue.job_id = media.job_id) as has_live_job
    from media
    where id = ${mediaId}
    for no key update`;
  return media;
}

/** Puts a job that the media had before in charge of it again. */
export async function setJob(tx: Transaction, mediaId: string, jobId: string): Promise<void> {
  await tx`update media set job_id = ${jobId} where id = ${mediaId}`;
}

/** Those of the media that are stranded. One of a kind without an extractor may wait for a release that has one. */
export function strandedDifferences(sql: Queryable, mediaIds: string[], waitingKinds: string[]) {
  return sql`
    select 'media_stuck' as kind, media.id as media_id, media.processing_status
    from media
    where media.id = any(${mediaIds}::uuid[])
      and ${isStranded(sql)}
      and not (media.job_id is null and media.kind = any(${waitingKinds}::text[]))
    order by media.id`;
}

/** Readable media whose indexing failed an hour ago or earlier, and was not cancelled. */
export async function listUnindexed(sql: Queryable, limit: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select media.id
    from media
    where media.processing_status = 'failed'
      and media.failure_stage = 'embed'
      and media.failed_at < now() - interval '1 hour'
      and not exists (select from jobs where jobs.id = media.job_id and jobs.cancelled_at is not null)
    order by media.failed_at
    limit ${limit}`;
  return rows.map(({ id }) => id);
}
