import type { Database, Queryable, Transaction } from '../../../platform/database/database.ts';
import type { SqlFragment } from '../../../platform/database/statement.ts';
import { type AuditRun, type IntegrityCheck, inBatches } from '../../../platform/integrity/check.ts';
import { type Range, type Scan, scan } from '../../../platform/integrity/scan.ts';
import { splitOnTimeout, withLongTimeout } from '../../../platform/integrity/statement-timeout.ts';
import { lockSource } from '../store.ts';
import { deleteEdges } from './closure.ts';
import * as audit from './closure-audit-store.ts';
import { insertMissingEdges, rebuildDefaultLibrary } from './closure-repair.ts';
import { forgetMedia } from './forget-media.ts';

/** A check of the rows of one table. */
interface Check {
  kind: string;
  scan: Scan;
  select(sql: Queryable, range: Range): SqlFragment;
  /** Absent when the data is not derived: a person has to decide. */
  repair?: {
    /** Runs once for each id of this column, after the whole table has been checked. */
    by: audit.DifferenceId;
    repair(tx: Transaction, id: string): Promise<void>;
  };
}

const LIBRARIES: Scan = { table: 'libraries', key: ['id'] };
const LISTINGS: Scan = { table: 'library_media', key: ['library_id', 'media_id'] };
const MEMBERSHIPS: Scan = { table: 'memberships', key: ['library_id', 'user_id'] };
const INTRINSICS: Scan = { table: 'default_library_intrinsics', key: ['default_library_id', 'media_id'] };
const EDGES: Scan = {
  table: 'default_library_closure_edges',
  key: ['default_library_id', 'media_id', 'source_library_id'],
};
const BACKFILLS: Scan = {
  table: 'default_library_backfill_jobs',
  key: ['default_library_id', 'source_library_id', 'user_id'],
};

const rebuild = { by: 'default_library_id', repair: rebuildDefaultLibrary } as const;

/** Edges are repaired before the rows that they justify. */
const CHECKS: Check[] = [
  { kind: 'library_owner_not_admin', scan: LIBRARIES, select: audit.ownerNotAdmin },
  {
    kind: 'listed_without_media',
    scan: LISTINGS,
    select: audit.listedWithoutMedia,
    repair: { by: 'media_id', repair: forgetMedia },
  },
  {
    kind: 'backfill_without_membership',
    scan: BACKFILLS,
    select: audit.backfillWithoutMembership,
    repair: { by: 'source_library_id', repair: audit.deleteBackfillsWithoutMembership },
  },
  {
    kind: 'backfill_without_job',
    scan: BACKFILLS,
    select: audit.strandedBackfills,
    repair: { by: 'source_library_id', repair: audit.failStrandedBackfills },
  },
  {
    kind: 'closure_edge_missing',
    scan: LISTINGS,
    select: audit.missingEdges,
    repair: { by: 'source_library_id', repair: insertMissingEdges },
  },
  { kind: 'default_library_shared', scan: MEMBERSHIPS, select: audit.sharedDefault },
  {
    kind: 'closure_edge_unjustified',
    scan: EDGES,
    select: audit.unjustifiedEdges,
    repair: {
      by: 'default_library_id',
      async repair(tx, defaultLibraryId) {
        for (const sourceId of await audit.sourcesOf(tx, defaultLibraryId)) {
          await lockSource(tx, sourceId);
          const isWrong = tx`edge.default_library_id = ${defaultLibraryId} and ${audit.isUnjustified(tx)}`;
          await deleteEdges(tx, sourceId, isWrong);
        }
      },
    },
  },
  { kind: 'default_media_missing', scan: INTRINSICS, select: audit.missingIntrinsicMedia, repair: rebuild },
  { kind: 'default_media_missing', scan: EDGES, select: audit.missingEdgeMedia, repair: rebuild },
  { kind: 'default_media_unjustified', scan: LISTINGS, select: audit.unjustifiedMedia, repair: rebuild },
];

/**
 * Recomputes from memberships and contents what every default library should list, and reports each difference. Every
 * statement sees one snapshot, and people change contents together with their closure, so it can run at any time.
 */
export function createClosureCheck(sql: Database): IntegrityCheck {
  return {
    name: 'libraries',
    async run(run) {
      let checked = 0;
      const onPart = (rows: number) => {
        checked += rows;
        return run.progress(checked);
      };
      await findLostLibraries(run);
      for (const check of CHECKS) await look(check, run, onPart);
    },
  };

  async function look(
    { kind, select, repair, ...check }: Check,
    run: AuditRun,
    onPart: (rows: number) => Promise<void>,
  ): Promise<void> {
    const concerned = new Set<string>();
    await scan(sql, { ...check.scan, signal: run.signal, onPart }, async (queryable, range) => {
      const found = select(queryable, range);
      if (repair && run.repair) {
        for (const id of await audit.concernedIds(queryable, found, repair.by)) concerned.add(id);
      }
      const rows = queryable`select ${kind}::text as kind, found.* from (${found}) as found`;
      await run.reportRows(rows, queryable);
    });
    for (const id of concerned) {
      run.signal.throwIfAborted();
      await withLongTimeout(sql, async (tx) => repair?.repair(tx, id));
    }
  }

  /** Finds rows of libraries that do not exist. Each library is looked up and reported once, however much it lists. */
  async function findLostLibraries({ signal, repair, report }: AuditRun): Promise<void> {
    const lost = new Set<string>();
    for (const { table, key } of [LISTINGS, INTRINSICS, EDGES]) {
      const [column = ''] = key;
      const next = (after: string | null, most: number) =>
        audit.nextNamed(sql, { table, column }, after, most);
      for await (const ids of inBatches(next, (id) => id)) {
        signal.throwIfAborted();
        const missing = (await splitOnTimeout(sql, ids, audit.withoutLibrary)).flat();
        const news = missing.filter((id) => !lost.has(id));
        for (const id of news) lost.add(id);
        const findings = news.map((library_id) => ({ library_id }));
        await report('listed_without_library', findings);
      }
    }
    for (const id of repair ? lost : [])
      await withLongTimeout(sql, (tx) => audit.deleteWithoutLibrary(tx, id));
  }
}
