import type { FailureStage, ProcessingStatus } from '../../../contract/media.ts';
import type { Queryable, Transaction } from '../../../platform/database/database.ts';

/** Whether a row of `media` is on its way with nothing that would bring it to an end: no live job, no open upload. */
export const isStranded = (sql: Queryable) => sql`(
  media.processing_status in ('pending', 'extracting', 'ready_for_reading', 'embedding')
  and not exists (select from job_queue where job_queue.job_id = media.job_id)
  and not exists (select from uploads where uploads.media_id = media.id and uploads.status = 'open')
)`;

/**
 * Media whose job is over and left them on their way. A media that never had a job is left to the integrity audit: a kind
 * that Nexus has no extractor for waits for a release that has one.
 */
export async function listStranded(sql: Queryable, limit: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id
    from media
    where ${isStranded(sql)} and job_id is not null
    order by id
    limit ${limit}`;
  return rows.map(({ id }) => id);
}

/** The status of a media that is still stranded, locked so that nobody gives it a job before the transaction ends. */
export async function lockStranded(tx: Transaction, mediaId: string): Promise<ProcessingStatus | undefined> {
  await tx`select from media where id = ${mediaId} for no key update`;
  const [media] = await tx<{ processing_status: ProcessingStatus }[]>`
    select processing_status from media where id = ${mediaId} and ${isStranded(tx)}`;
  return media?.processing_status;
}

export interface RequeuedMedia {
  processing_status: ProcessingStatus;
  failure_stage: FailureStage | null;
  job_id: string | null;
  has_live_job: boolean;
}

/** Locks a media for a job that is queued again. */
export async function findForRequeue(tx: Transaction, mediaId: string): Promise<RequeuedMedia | undefined> {
  const [media] = await tx<RequeuedMedia[]>`
    select
      processing_status, failure_stage, job_id,
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

/** Media of these that nothing would bring to an end. Without an extractor a media may wait: it is not stuck. */
export function strandedDifferences(sql: Queryable, mediaIds: string[], waitingKinds: string[]) {
  return sql`
    select 'media_stuck' as kind, media.id as media_id, media.processing_status
    from media
    where media.id = any(${mediaIds}::uuid[])
      and ${isStranded(sql)}
      and not (media.job_id is null and media.kind = any(${waitingKinds}::text[]))
    order by media.id`;
}
