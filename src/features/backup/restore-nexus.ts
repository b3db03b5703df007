import type { Actor } from '../../platform/audit/audit.ts';
import type { BackupOptions } from '../../platform/backup/make-backup.ts';
import { type RestoreSummary, type RestoreTarget, restoreBackup } from '../../platform/backup/restore.ts';
import { recordRestore } from './backup-log.ts';
import { adaptToNewServer } from './new-server.ts';
import * as store from './restored-store.ts';

interface RestoreOptions extends BackupOptions {
  actor: Actor;
  /** Whether webhooks are disabled, for a copy that must not send the events of the original. */
  withoutWebhooks: boolean;
}

/** Restores a backup, and ends what must not live on in another installation. */
export function restoreNexus(
  target: Omit<RestoreTarget, 'beforeCommit'>,
  file: string,
  { actor, withoutWebhooks, ...options }: RestoreOptions,
): Promise<RestoreSummary> {
  return restoreBackup(
    {
      ...target,
      async beforeCommit(tx, { created_at }) {
        await adaptToNewServer(tx);
        await store.endSessions(tx);
        if (withoutWebhooks) await store.disableWebhooks(tx, 'Disabled when a backup was restored.');
        await recordRestore(tx, created_at, actor);
      },
    },
    file,
    options,
  );
}
