import type { Database, Queryable, Transaction } from '../../../platform/database/database.ts';
import { type AuditRun, type IntegrityCheck, inBatches } from '../../../platform/integrity/check.ts';
import { type Range, type Scan, scan } from '../../../platform/integrity/scan.ts';
import { inHalves, patiently } from '../../../platform/integrity/statement-timeout.ts';
import { lockSource } from '../store.ts';
import { deleteEdges } from './closure.ts';
import * as audit from './closure-audit-store.ts';
import { insertMissingEdges, rebuildDefaultLibrary } from './closure-repair.ts';
import { forgetMedia } from './forget-media.ts';

/** Something that may be wrong with the rows of a table. */
interface Check {
  kind: string;
  scan: Scan;
  select(sql: Queryable, range: Range): ReturnType<Queryable>;
  /** Absent where the mistake is not in something derived, and a person has to decide. */
  mending?: {
    /** Done once for each id of this column, when the whole table has been looked at. */
    by: keyof audit.Difference;
    mend(tx: Transaction, id: string): Promise<void>;
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

const rebuild = { by: 'default_library_id', mend: rebuildDefaultLibrary } as const;

/** Edges are put right before what they justify. */
const CHECKS: Check[] = [
  { kind: 'library_owner_not_admin', scan: LIBRARIES, select: audit.ownerNotAdmin },
  {
    kind: 'listed_without_media',
    scan: LISTINGS,
    select: audit.listedWithoutMedia,
    mending: { by: 'media_id', mend: forgetMedia },
  },
  {
    kind: 'backfill_without_membership',
    scan: BACKFILLS,
    select: audit.backfillWithoutMembership,
    mending: { by: 'source_library_id', mend: audit.deleteBackfillsWithoutMembership },
  },
  {
    kind: 'backfill_without_job',
    scan: BACKFILLS,
    select: audit.strandedBackfills,
    mending: { by: 'source_library_id', mend: audit.failStrandedBackfills },
  },
  {
    kind: 'closure_edge_missing',
    scan: LISTINGS,
    select: audit.missingEdges,
    mending: {
      by: 'source_library_id',
      async mend(tx, libraryId) {
        await lockSource(tx, libraryId);
        await insertMissingEdges(tx, libraryId);
      },
    },
  },
  { kind: 'default_library_shared', scan: MEMBERSHIPS, select: audit.sharedDefault },
  {
    kind: 'closure_edge_unjustified',
    scan: EDGES,
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
  { kind: 'default_media_missing', scan: INTRINSICS, select: audit.missingIntrinsicMedia, mending: rebuild },
  { kind: 'default_media_missing', scan: EDGES, select: audit.missingEdgeMedia, mending: rebuild },
  { kind: 'default_media_unjustified', scan: LISTINGS, select: audit.unjustifiedMedia, mending: rebuild },
];

/**
 * Recomputes from memberships and contents what every default library should hold, and tells each difference. Every
 * statement sees one moment, so it can run while people work: what they change, they change together with its closure.
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
    { kind, select, mending, ...check }: Check,
    run: AuditRun,
    onPart: (rows: number) => Promise<void>,
  ): Promise<void> {
    const concerned = new Set<string>();
    await scan(
      sql,
      check.scan,
      run.signal,
      async (queryable, range) => {
        const found = select(queryable, range);
        if (mending && run.repair) {
          for (const id of await audit.concernedIds(queryable, found, mending.by)) concerned.add(id);
        }
        await run.reportRows(
          queryable`select ${kind}::text as kind, found.* from (${found}) as found`,
          queryable,
        );
      },
      onPart,
    );
    for (const id of concerned) {
      run.signal.throwIfAborted();
      await patiently(sql, async (tx) => mending?.mend(tx, id));
    }
  }

  /** Rows of libraries that do not exist. Each library is looked up once, however much it lists, and told once. */
  async function findLostLibraries({ signal, repair, report }: AuditRun): Promise<void> {
    const lost = new Set<string>();
    for (const { table, key } of [LISTINGS, INTRINSICS, EDGES]) {
      const [column = ''] = key;
      const next = (after: string | null, most: number) => audit.nextNamed(sql, table, column, after, most);
      for await (const ids of inBatches(next, (id) => id)) {
        signal.throwIfAborted();
        const missing = (await inHalves(sql, ids, audit.withoutLibrary)).flat();
        const news = missing.filter((id) => !lost.has(id));
        for (const id of news) lost.add(id);
        await report(
          'listed_without_library',
          news.map((library_id) => ({ library_id })),
        );
      }
    }
    for (const id of repair ? lost : []) await patiently(sql, (tx) => audit.deleteWithoutLibrary(tx, id));
  }
}
