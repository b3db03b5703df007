import type { Database, Queryable, Transaction } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { type AuditRun, type IntegrityCheck, inBatches } from '../../platform/integrity/check.ts';
import { deleteEdges } from './closure.ts';
import * as audit from './closure-audit-store.ts';
import { insertMissingEdges, rebuildDefaultLibrary } from './closure-repair.ts';
import { forgetMedia } from './forget-media.ts';
import { lockSource } from './store.ts';

interface Check {
  kind: string;
  select(sql: Queryable, libraryIds: string[]): ReturnType<Queryable>;
  /** Absent where the mistake is not in something derived, and a person has to decide. */
  mending?: {
    /** Done once for each id of this column. */
    by: keyof audit.Difference;
    mend(tx: Transaction, id: string): Promise<void>;
  };
}

/** So many libraries are looked at with one statement, which keeps every statement short. */
const LIBRARIES_AT_ONCE = 100;

const withoutMedia: Check = {
  kind: 'listed_without_media',
  select: audit.listedWithoutMedia,
  mending: { by: 'media_id', mend: forgetMedia },
};

const SHARED_LIBRARY_CHECKS: Check[] = [
  { kind: 'library_owner_not_admin', select: audit.ownerNotAdmin },
  withoutMedia,
  {
    kind: 'backfill_without_membership',
    select: audit.backfillWithoutMembership,
    mending: { by: 'source_library_id', mend: audit.deleteBackfillsWithoutMembership },
  },
  {
    kind: 'closure_edge_missing',
    select: audit.missingEdges,
    mending: {
      by: 'source_library_id',
      async mend(tx, libraryId) {
        await lockSource(tx, libraryId);
        await insertMissingEdges(tx, libraryId);
      },
    },
  },
];

/** Edges are put right before what they justify. */
const DEFAULT_LIBRARY_CHECKS: Check[] = [
  { kind: 'default_library_shared', select: audit.sharedDefault },
  withoutMedia,
  {
    kind: 'closure_edge_unjustified',
    select: audit.unjustifiedEdges,
    mending: {
      by: 'default_library_id',
      async mend(tx, defaultLibraryId) {
        for (const sourceId of await audit.sourcesOf(tx, defaultLibraryId)) {
          await lockSource(tx, sourceId);
          await deleteEdges(
            tx,
            sourceId,
            tx`edge.default_library_id = ${defaultLibraryId} and ${audit.isUnjustified(tx)}`,
          );
        }
      },
    },
  },
  {
    kind: 'default_media_missing',
    select: audit.missingMedia,
    mending: { by: 'default_library_id', mend: rebuildDefaultLibrary },
  },
  {
    kind: 'default_media_unjustified',
    select: audit.unjustifiedMedia,
    mending: { by: 'default_library_id', mend: rebuildDefaultLibrary },
  },
];

/** Belongs to no library, so it is looked for once. */
const listedNowhere: Check = {
  kind: 'listed_without_library',
  select: audit.withoutLibrary,
  mending: { by: 'library_id', mend: audit.deleteWithoutLibrary },
};

/**
 * Recomputes from memberships and contents what every default library should hold, and tells each difference. Every
 * check sees one moment, so it can run while people work: what they change, they change together with its closure.
 */
export function createClosureCheck(sql: Database): IntegrityCheck {
  async function look(check: Check, libraryIds: string[], run: AuditRun): Promise<void> {
    run.signal.throwIfAborted();
    const { kind, mending } = check;
    const differences = sql`select ${kind}::text as kind, found.* from (${check.select(sql, libraryIds)}) as found`;
    const count = await run.reportRows(differences);
    if (count === 0 || !mending || !run.repair) return;
    for (const id of await audit.concernedIds(sql, check.select(sql, libraryIds), mending.by)) {
      await transaction(sql, (tx) => mending.mend(tx, id));
    }
  }

  return {
    name: 'libraries',
    async run(run) {
      let checked = 0;
      await look(listedNowhere, [], run);
      for (const [isDefault, checks] of [
        [false, SHARED_LIBRARY_CHECKS],
        [true, DEFAULT_LIBRARY_CHECKS],
      ] as const) {
        const next = (after: string | null) => audit.nextLibraries(sql, isDefault, after, LIBRARIES_AT_ONCE);
        for await (const libraryIds of inBatches(next, (id) => id)) {
          for (const check of checks) await look(check, libraryIds, run);
          checked += libraryIds.length;
          await run.progress(checked);
        }
      }
    },
  };
}
