import { z } from 'zod';
import { id } from '../../../contract/wire.ts';
import type { Database } from '../../../platform/database/database.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import type { JobType } from '../../../platform/jobs/job-type.ts';
import { markFailed, workerStartAttempt } from './lifecycle.ts';

const payload = z.strictObject({ media_id: id, test_force_run: z.boolean().default(false) });

const FAILURE = {
  stage: 'extract',
  code: 'E_EXTRACTOR_NOT_IMPLEMENTED',
  message: 'There is no extractor for this.',
} as const;

/** Adds `test_force_run` to `ingest_media`, for NEXUS_ENV=test only: it fails the media without reading it. */
export function withForcedRun(
  sql: Database,
  ingestType: JobType<{ media_id: string }>,
): JobType<z.output<typeof payload>> {
  return {
    ...ingestType,
    payload,
    async handler({ media_id, test_force_run }, context) {
      if (!test_force_run) return ingestType.handler({ media_id }, context);
      const isFailed = await transaction(
        sql,
        async (tx) =>
          (await workerStartAttempt(tx, media_id, context.jobId, context.log)) &&
          (await markFailed(tx, media_id, FAILURE, context.log)),
      );
      return { result: { outcome: isFailed ? 'failed' : 'not pending' } };
    },
  };
}
