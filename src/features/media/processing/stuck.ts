import { z } from 'zod';
import { MEDIA_KINDS } from '../../../contract/media.ts';
import type { Database } from '../../../platform/database/database.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import type { IntegrityCheck } from '../../../platform/integrity/check.ts';
import { defineJobType, MAINTENANCE_QUEUE } from '../../../platform/jobs/job-type.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';
import { checkBatches, mediaInBatches } from '../integrity.ts';
import { concernedMedia } from '../integrity-store.ts';
import type { ExtractorRegistry } from './extract.ts';
import type { Ingest } from './ingest.ts';
import { failStranded } from './media-jobs.ts';
import { listUnindexed, strandedDifferences } from './store.ts';

const QUEUED_AT_ONCE = 1000;
const EVERY_SECONDS = 600;

/** Enqueues readable media again whose indexing failed an hour ago or earlier. Cancelled ones are left as they are. */
export function periodicMissedIndexing(sql: Database, ingest: Pick<Ingest, 'enqueueProcessing'>) {
  const type = defineJobType('missed_indexing', {
    queue: MAINTENANCE_QUEUE,
    payload: z.strictObject({}),
    async handler(_payload, { signal }) {
      let queued = 0;
      for (const media of await listUnindexed(sql, QUEUED_AT_ONCE)) {
        signal.throwIfAborted();
        const ids = await transaction(sql, (tx) => ingest.enqueueProcessing(tx, [media], {}));
        queued += ids.length;
      }
      return { result: { queued } };
    },
  });
  return { type, everySeconds: EVERY_SECONDS };
}

/** Checks that every media that is neither ready nor failed has a live job or an open upload. Repair marks it as failed. */
export function createProgressCheck(
  sql: Database,
  log: Logger,
  extractors: ExtractorRegistry,
): IntegrityCheck {
  const waitingKinds = MEDIA_KINDS.filter((kind) => !extractors.has(kind));
  return {
    name: 'media on their way',
    async run(run) {
      await checkBatches(run, mediaInBatches(sql), async (ids) => {
        const differences = () => strandedDifferences(sql, ids, waitingKinds);
        const count = await run.reportRows(differences());
        const stuck = count > 0 && run.repair ? await concernedMedia(sql, differences()) : [];
        for (const mediaId of stuck) await transaction(sql, (tx) => failStranded(tx, mediaId, log));
      });
    },
  };
}
