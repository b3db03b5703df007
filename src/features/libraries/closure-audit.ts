import type { Database, Queryable, Transaction } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { deleteEdges, forgetMedia, insertMissingEdges, rebuildDefaultLibrary } from './closure.ts';
import * as audit from './closure-audit-store.ts';
import { lockSource } from './store.ts';

export type { Difference } from './closure-audit-store.ts';

export interface ClosureAuditOptions {
  sql: Database;
  /** Whether to mend what is derived. */
  repair: boolean;
  signal: AbortSignal;
  /** Of each kind, in each group of libraries, at most so many differences are told one by one. */
  toldAtOnce: number;
  report(kind: string, first: audit.Difference[], total: number): void;
}

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

/**
 * Recomputes from memberships and contents what every default library should hold, and tells each difference. Every
 * check sees one moment, so it can run while people work: what they change, they change together with its closure.
 */
export async function auditClosure(options: ClosureAuditOptions): Promise<void> {
  const { sql, repair, signal, toldAtOnce, report } = options;
  for (const [isDefault, checks] of [
    [false, SHARED_LIBRARY_CHECKS],
    [true, DEFAULT_LIBRARY_CHECKS],
  ] as const) {
    for await (const libraryIds of inBatches(sql, isDefault)) {
      for (const check of checks) {
        signal.throwIfAborted();
        const { first, total } = await audit.countDifferences(sql, check.select(sql, libraryIds), toldAtOnce);
        if (total === 0) continue;
        report(check.kind, first, total);
        if (repair) await mend(sql, check, libraryIds);
      }
    }
  }
}

async function mend(sql: Database, { select, mending }: Check, libraryIds: string[]): Promise<void> {
  if (!mending) return;
  for (const id of await audit.concernedIds(sql, select(sql, libraryIds), mending.by)) {
    await transaction(sql, (tx) => mending.mend(tx, id));
  }
}

async function* inBatches(sql: Database, isDefault: boolean): AsyncGenerator<string[]> {
  let after: string | null = null;
  for (;;) {
    const ids: string[] = await audit.nextLibraries(sql, isDefault, after, LIBRARIES_AT_ONCE);
    if (ids.length > 0) yield ids;
    if (ids.length < LIBRARIES_AT_ONCE) return;
    after = ids.at(-1) ?? null;
  }
}
