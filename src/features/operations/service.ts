import { type AuditFilter, listAudit } from '../../platform/audit/audit.ts';
import { cutPage, readCursor } from '../../platform/cursor.ts';
import type { Database } from '../../platform/database/database.ts';

export type Operations = ReturnType<typeof createOperations>;

export function createOperations({ sql }: { sql: Database }) {
  return {
    async audit(query: AuditFilter & { cursor?: string | undefined; limit: number }) {
      const entries = await listAudit(sql, query, readCursor(query.cursor), query.limit + 1);
      return cutPage(entries, query.limit);
    },
  };
}
