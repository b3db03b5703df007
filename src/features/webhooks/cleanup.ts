import type { Database } from '../../platform/database/database.ts';
import type { Periodic } from '../../platform/jobs/periodic/periodic.ts';
import { periodicRetention } from '../../platform/jobs/periodic/retention.ts';
import { deleteOldDeliveries } from './delivery-store.ts';

/** Deletes deliveries that have been over for so many hours, with their log. */
export function periodicWebhookCleanup(sql: Database, hours: number): Periodic {
  return periodicRetention('webhook_cleanup', {
    sql,
    table: 'webhook_deliveries',
    hours,
    deleteOld: (ids) => deleteOldDeliveries(sql, ids, hours),
  });
}
