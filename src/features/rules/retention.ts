import type { Database } from '../../platform/database/database.ts';
import type { Periodic } from '../../platform/jobs/periodic/periodic.ts';
import { periodicRetention } from '../../platform/jobs/periodic/retention.ts';
import { deleteOldNotifications } from './notification-store.ts';
import { deleteOldRuns } from './run-store.ts';

/** Runs can be looked at and undone for this long after their end. Notifications are kept as long. */
const KEPT_DAYS = 90;
/** Few, because each has an item for every media. */
const RUNS_AT_ONCE = 10;

export function periodicRunRetention(sql: Database): Periodic {
  const hours = KEPT_DAYS * 24;
  return periodicRetention(
    'rule_run_retention',
    {
      sql,
      table: 'rule_runs',
      hours,
      batch: RUNS_AT_ONCE,
      deleteOld: (ids) => deleteOldRuns(sql, ids, KEPT_DAYS),
    },
    {
      sql,
      table: 'rule_notifications',
      hours,
      deleteOld: (ids) => deleteOldNotifications(sql, ids, KEPT_DAYS),
    },
  );
}
