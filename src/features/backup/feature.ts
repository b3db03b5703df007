import type { Feature, Platform } from '../feature.ts';
import { lastBackup } from './backup-log.ts';
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
        const last = await lastBackup(platform.sql);
        if (!last) return [];
        return [
          { name: 'nexus_last_backup_age_seconds', help: 'The age of the last backup.', value: last.age },
        ];
      },
    ],
  } satisfies Feature;
}
