import type { Queryable } from '../../../platform/database/database.ts';

/** Whether a media has come as far as having something to read, whatever became of its search rows. */
export function isReadable(sql: Queryable) {
  return sql`(
    media.processing_status in ('ready_for_reading', 'embedding', 'ready')
    or (media.processing_status = 'failed' and media.failure_stage = 'embed')
  )`;
}
