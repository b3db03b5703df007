import type { Database } from '../database/database.ts';
import type { Periodic } from '../jobs/periodic/periodic.ts';
import { periodicRetention } from '../jobs/periodic/retention.ts';
import { deleteOldAudit } from './audit.ts';

/** Deletes audit entries older than `days`. */
export const periodicAuditRetention = (sql: Database, days: number): Periodic =>
  periodicRetention('audit_retention', {
    sql,
    table: 'audit_logs',
    hours: days * 24,
    deleteOld: (ids) => deleteOldAudit(sql, ids, days),
  });
