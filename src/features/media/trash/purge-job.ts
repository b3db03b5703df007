import { z } from 'zod';
import type { Database } from '../../../platform/database/database.ts';
import { defineJobType, MAINTENANCE_QUEUE } from '../../../platform/jobs/job-type.ts';
import { evictImages } from '../files/image-store.ts';
import type { Purge } from './purge.ts';
import * as store from './purge-store.ts';

const WALKED_AT_ONCE = 1000;

/** Every hour, deletes expired trash, media that nobody has, and images that no document shows. */
export function periodicPurge({ sql, purge, days }: { sql: Database; purge: Purge; days: number }) {
  async function* steps(): AsyncGenerator<{ purged?: number; images_evicted?: number }> {
    for (;;) {
      const { expired, purged } = await purge.expiredTrash(days);
      if (expired === 0) break;
      yield { purged };
    }
    await store.forgetHeld(sql);
    let last: string | null = null;
    do {
      last = await store.noteUnheld(sql, last, WALKED_AT_ONCE);
      yield {};
    } while (last !== null);
    for (;;) {
      const { found, purged } = await purge.unheld(days);
      // Media that somebody has again must be forgotten, or they would be found again and again.
      if (purged < found) await store.forgetHeld(sql);
      if (found === 0) break;
      yield { purged };
    }
    let key: string | null = '';
    while (key !== null) {
      const images = await evictImages(sql, key, WALKED_AT_ONCE);
      key = images.last;
      yield { images_evicted: images.evicted };
    }
  }

  const type = defineJobType('media_purge', {
    queue: MAINTENANCE_QUEUE,
    payload: z.strictObject({}),
    async handler(_payload, { signal, progress }) {
      const done = { purged: 0, images_evicted: 0 };
      for await (const { purged = 0, images_evicted = 0 } of steps()) {
        signal.throwIfAborted();
        done.purged += purged;
        done.images_evicted += images_evicted;
        if (purged + images_evicted > 0) await progress(done);
      }
      return { result: done };
    },
  });
  return { type, everySeconds: 3600 };
}
