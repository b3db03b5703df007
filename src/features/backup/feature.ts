import type { Feature, Platform } from '../feature.ts';
import { lastBackup, scheduleAge } from './backup-log.ts';
import { periodicBackup, type ScheduledBackups } from './scheduled-backups.ts';

interface BackupFeatureDependencies extends Pick<Platform, 'sql' | 'storage' | 'log'> {
  config: { backups: ScheduledBackups | undefined };
}

export function createBackupFeature({ config: { backups }, ...platform }: BackupFeatureDependencies) {
  return {
    name: 'backup',
    periodic: backups ? [periodicBackup(platform, backups)] : [],
    metrics: [
      async () => {
        // A schedule without any backup counts from its beginning, so that the alert for late backups fires.
        const age = (await lastBackup(platform.sql))?.age ?? (await scheduleAge(platform.sql));
        if (age === null) return [];
        const help = 'The age of the last backup, or of the schedule while there is none.';
        return [{ name: 'nexus_last_backup_age_seconds', help, value: age }];
      },
    ],
  } satisfies Feature;
}
