import { MEDIA_KINDS, type MediaKind } from '../../../contract/media.ts';
import type { Database } from '../../../platform/database/database.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import type { IntegrityCheck } from '../../../platform/integrity/check.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';
import { mediaInBatches } from '../integrity.ts';
import { concernedMedia } from '../integrity-store.ts';
import { failStranded } from './end-processing.ts';
import { strandedDifferences } from './stranded-store.ts';

/** Every media that is neither ready nor failed has a live job or an open upload. Repaired, it has failed. */
export function createProgressCheck(
  sql: Database,
  log: Logger,
  extractors: { has(kind: MediaKind): boolean },
): IntegrityCheck {
  const waitingKinds = MEDIA_KINDS.filter((kind) => !extractors.has(kind));
  return {
    name: 'media on their way',
    async run(run) {
      let checked = 0;
      for await (const ids of mediaInBatches(sql)) {
        run.signal.throwIfAborted();
        const differences = () => strandedDifferences(sql, ids, waitingKinds);
        const count = await run.reportRows(differences());
        const stuck = count > 0 && run.repair ? await concernedMedia(sql, differences()) : [];
        for (const mediaId of stuck) await transaction(sql, (tx) => failStranded(tx, mediaId, log));
        checked += ids.length;
        await run.progress(checked);
      }
    },
  };
}
