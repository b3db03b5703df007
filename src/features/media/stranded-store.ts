import type { ProcessingStatus } from '../../contract/media.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';

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
