import { z } from 'zod';
import type { Database } from '../../../platform/database/database.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import { defineJobType, MAINTENANCE_QUEUE } from '../../../platform/jobs/job-type.ts';
import { enqueueMany, type NewJob } from '../../../platform/jobs/submit/enqueue.ts';
import type { Images } from './images.ts';
import { lockUnasked, markAsked } from './thumbnail-store.ts';

const ASKED_AT_ONCE = 50;
const EVERY_SECONDS = 60;
/** The default is 5. Everything that somebody waits for goes first. */
const PRIORITY = 1;

/**
 * Asks for the thumbnails of media that were saved before there were any, newest first, and of failed media that have a
 * cover. Fifty a minute, each once.
 */
export function periodicThumbnails(sql: Database, images: Pick<Images, 'saveType'>) {
  const type = defineJobType('missed_thumbnails', {
    queue: MAINTENANCE_QUEUE,
    payload: z.strictObject({}),
    async handler() {
      const asked = await transaction(sql, async (tx) => {
        const ids = await lockUnasked(tx, ASKED_AT_ONCE);
        if (ids.length === 0) return 0;
        const jobs = ids.map((media_id) => ({
          type: images.saveType,
          payload: { media_id, only: 'cover' as const },
          priority: PRIORITY,
        }));
        await enqueueMany(tx, jobs as NewJob[]);
        await markAsked(tx, ids);
        return ids.length;
      });
      return { result: { asked } };
    },
  });
  return { type, everySeconds: EVERY_SECONDS };
}
