import { z } from 'zod';
import { NexusError } from '../../contract/errors.ts';
import type { Principal } from '../../contract/identity.ts';
import { integrityAuditPayload } from '../../contract/job-payloads.ts';
import type { IntegrityFinding, integrityQuery } from '../../contract/operations.ts';
import { cursorText, cutByCursor, decodeCursor } from '../../platform/cursor.ts';
import type { Database } from '../../platform/database/database.ts';
import type { IntegrityCheck } from '../../platform/integrity/check.ts';
import { scan } from '../../platform/integrity/scan.ts';
import { splitOnTimeout, withLongTimeout } from '../../platform/integrity/statement-timeout.ts';
import { defineJobType } from '../../platform/jobs/job-type.ts';
import * as store from './integrity-store.ts';
import { seesContent } from './jobs.ts';

/** The maximum number of findings of each kind in the job's result. A route lists all of them. */
const MAX_LISTED_PER_KIND = 100;

/** The job type that runs all checks in order, so that a check can rely on the repairs of those before it. */
export function defineIntegrityAudit(sql: Database, checks: readonly IntegrityCheck[]) {
  return defineJobType('integrity_audit', {
    payload: integrityAuditPayload,
    submittedBy: 'operator',
    // The cause of a failure, such as an overloaded machine, may last for minutes.
    retry: { delays: [30, 120, 600] },
    async handler({ repair }, { jobId, attempt, signal, progress }) {
      const key = { jobId, attempt };
      // Deletes the findings of earlier attempts of this job, and of deleted jobs.
      await scan(sql, { table: 'integrity_findings', key: ['id'], signal }, (queryable, range) =>
        store.deleteObsolete(queryable, key, range),
      );
      const counts: Record<string, number> = {};
      for (const check of checks) await run(check);
      const listed = await withLongTimeout(sql, (tx) =>
        store.listFirst(tx, key, Object.keys(counts), MAX_LISTED_PER_KIND),
      );
      return {
        result: {
          document_count: await countDocuments(sql, signal),
          inconsistencies: listed.map(toFinding),
          inconsistency_count: Object.values(counts).reduce((sum, count) => sum + count, 0),
          counts,
          findings_path: `/api/v1/jobs/${jobId}/findings`,
          repaired: repair,
        },
      };

      async function run(check: IntegrityCheck): Promise<void> {
        signal.throwIfAborted();
        let inconsistency_count = 0;
        const add = (kind: string, count: number) => {
          inconsistency_count += count;
          counts[kind] = (counts[kind] ?? 0) + count;
        };
        const reportProgress = async (checked: number) => {
          await progress({ checking: check.name, checked, inconsistency_count });
        };
        await reportProgress(0);
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
          async reportRows(differences, queryable = sql) {
            const found = await store.insertFoundRows(queryable, key, differences);
            for (const { kind, count } of found) add(kind, count);
            return found.reduce((sum, { count }) => sum + count, 0);
          },
          progress: reportProgress,
        });
      }
    },
  });
}

async function countDocuments(sql: Database, signal: AbortSignal): Promise<number> {
  let count = 0;
  const onPart = async (rows: number) => {
    count += rows;
  };
  await scan(sql, { table: 'media', key: ['id'], signal, onPart }, async () => undefined);
  return count;
}

export type IntegrityFindings = ReturnType<typeof createIntegrityFindings>;

/** Lists the findings of an audit, for the person who started it and for admins. */
export function createIntegrityFindings({ sql }: { sql: Database }) {
  const position = z.object({ kind: cursorText, id: z.int() });
  return {
    async list(jobId: string, query: z.output<typeof integrityQuery>, principal: Principal) {
      const audit = await store.findAudit(sql, jobId);
      if (!audit) throw new NexusError('E_NOT_FOUND', `The integrity audit ${jobId} does not exist.`);
      if (!seesContent(principal, audit)) {
        const message = 'Only the person who started the audit and admins can see its findings.';
        throw new NexusError('E_FORBIDDEN', message);
      }
      const after = decodeCursor(query.cursor, position);
      const rows = await store.listFindings(sql, { jobId, kind: query.kind, after, limit: query.limit + 1 });
      const { data: found, page } = cutByCursor(rows, query.limit);
      return { data: found.map(toFinding), page };
    },
  };
}

function toFinding({ kind, finding }: Pick<store.FindingRow, 'kind' | 'finding'>): IntegrityFinding {
  return { kind, ...finding };
}
