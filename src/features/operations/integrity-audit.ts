import { z } from 'zod';
import { NexusError } from '../../contract/errors.ts';
import type { Principal } from '../../contract/identity.ts';
import type { IntegrityFinding } from '../../contract/operations.ts';
import type { Page } from '../../contract/wire.ts';
import { cutByCursor, decodeCursor } from '../../platform/cursor.ts';
import type { Database } from '../../platform/database/database.ts';
import type { IntegrityCheck } from '../../platform/integrity/check.ts';
import { scan } from '../../platform/integrity/scan.ts';
import { splitOnTimeout, withLongTimeout } from '../../platform/integrity/statement-timeout.ts';
import { defineJobType, type JobContext } from '../../platform/jobs/job-type.ts';
import { seesContent } from './content.ts';
import * as store from './integrity-store.ts';

/** Of each kind so many are in the job's result; all of them are behind a route. */
const LISTED_OF_EACH_KIND = 100;

/**
 * Compares what is stored with what it should be, check by check, in the order given: what one mends, the next can build
 * on. Every finding is kept, and none of them in memory.
 */
export function defineIntegrityAudit(sql: Database, checks: IntegrityCheck[]) {
  return defineJobType('integrity_audit', {
    payload: z.strictObject({ repair: z.boolean().default(false) }),
    submittedBy: 'operator',
    // The cause of a failed attempt, such as a loaded machine, may take minutes to pass.
    retry: { delays: [30, 120, 600] },
    async handler({ repair }, context) {
      const key = { jobId: context.jobId, attempt: context.attempt };
      await forgetFindings(sql, key, context.signal);
      const counts: Record<string, number> = {};
      for (const check of checks) {
        await run(check, repair, key, context, counts);
      }
      const listed = await withLongTimeout(sql, (tx) =>
        store.listFirst(tx, key, Object.keys(counts), LISTED_OF_EACH_KIND),
      );
      return {
        result: {
          document_count: await countDocuments(sql, context.signal),
          inconsistencies: listed.map(onTheWire),
          inconsistency_count: Object.values(counts).reduce((sum, count) => sum + count, 0),
          counts,
          findings_path: `/api/v1/jobs/${context.jobId}/findings`,
          repaired: repair,
        },
      };
    },
  });

  async function run(
    check: IntegrityCheck,
    repair: boolean,
    key: store.AuditKey,
    { signal, progress }: JobContext,
    counts: Record<string, number>,
  ): Promise<void> {
    signal.throwIfAborted();
    let inconsistency_count = 0;
    const add = (kind: string, count: number) => {
      inconsistency_count += count;
      counts[kind] = (counts[kind] ?? 0) + count;
    };
    const tell = async (checked: number) => {
      await progress({ checking: check.name, checked, inconsistency_count });
    };
    await tell(0);
    await check.run({
      repair,
      signal,
      async report(kind, findings) {
        if (findings.length === 0) return;
        await splitOnTimeout(sql, findings, (queryable, part) =>
          store.insertFindings(queryable, key, kind, part),
        );
        add(kind, findings.length);
      },
      async reportRows(differences, within = sql) {
        const found = await store.insertFoundRows(within, key, differences);
        for (const { kind, count } of found) add(kind, count);
        return found.reduce((sum, { count }) => sum + count, 0);
      },
      progress: tell,
    });
  }
}

/** Deletes what earlier attempts of this job found, and findings of jobs that are gone. */
async function forgetFindings(sql: Database, key: store.AuditKey, signal: AbortSignal): Promise<void> {
  await scan(sql, { table: 'integrity_findings', key: ['id'] }, signal, (queryable, range) =>
    store.deleteObsolete(queryable, key, range),
  );
}

async function countDocuments(sql: Database, signal: AbortSignal): Promise<number> {
  let count = 0;
  const add = async (rows: number) => {
    count += rows;
  };
  await scan(sql, { table: 'media', key: ['id'] }, signal, async () => undefined, add);
  return count;
}

export type IntegrityFindings = ReturnType<typeof createIntegrityFindings>;

/** Everything that an audit has found, page by page, for whoever started it and for admins. */
export function createIntegrityFindings({ sql }: { sql: Database }) {
  const position = z.object({ kind: z.string(), id: z.int() });
  return {
    async list(
      jobId: string,
      query: { kind?: string | undefined; cursor?: string | undefined; limit: number },
      principal: Principal,
    ): Promise<{ findings: IntegrityFinding[]; page: Page }> {
      const audit = await store.findAudit(sql, jobId);
      if (!audit) throw new NexusError('E_NOT_FOUND', `There is no integrity audit ${jobId}.`);
      if (!seesContent(principal, audit)) {
        throw new NexusError(
          'E_FORBIDDEN',
          'Findings are shown to whoever started the audit, and to admins.',
        );
      }
      const after = decodeCursor(query.cursor, position);
      const rows = await store.listFindings(sql, jobId, query.kind, after, query.limit + 1);
      const { rows: found, page } = cutByCursor(rows, query.limit);
      return { findings: found.map(onTheWire), page };
    },
  };
}

function onTheWire({ kind, finding }: Pick<store.FindingRow, 'kind' | 'finding'>): IntegrityFinding {
  return { kind, ...finding };
}
