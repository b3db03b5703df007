import type { Feature, Platform } from '../feature.ts';
import { lastBackupAge } from './backup-log.ts';
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
        const age = await lastBackupAge(platform.sql);
        if (age === null) return [];
        return [{ name: 'nexus_last_backup_age_seconds', help: 'The age of the last backup.', value: age }];
      },
    ],
  } satisfies Feature;
}
