import { Failure, NexusError } from '../../../contract/errors.ts';
import type { StorageUse } from '../../../contract/storage.ts';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import * as store from './quota-store.ts';

const MB = 1024 * 1024;

export type Quota = ReturnType<typeof createQuota>;

/** Checks how much each person may store. `defaultMb` is for people without a quota of their own; 0 means no limit. */
export function createQuota({ sql, defaultMb }: { sql: Database; defaultMb: number }) {
  function allowedBytes(quotaMb: number | null): number | null {
    return (quotaMb ?? defaultMb) === 0 ? null : (quotaMb ?? defaultMb) * MB;
  }

  /**
   * Returns usage and limit; undefined when there is no limit. Locks the person's usage until the transaction ends, so that
   * two parallel calls cannot both get the last free space.
   */
  async function lockLimits(tx: Transaction, userId: string) {
    const allowed = allowedBytes((await store.findUsage(tx, userId)).storage_quota_mb);
    return allowed === null ? undefined : { allowed, used: await store.lockUsage(tx, userId) };
  }

  return {
    async use(userId: string): Promise<StorageUse> {
      const { bytes, storage_quota_mb } = await store.findUsage(sql, userId);
      return { used_bytes: bytes, allowed_bytes: allowedBytes(storage_quota_mb) };
    },

    /**
     * Charges more bytes of a media to whoever pays for it or, when they have no room, to somebody else who saved it and
     * has. The failure contains no figures, because everybody who can read the media sees it.
     */
    async charge(tx: Transaction, mediaId: string, bytes: number): Promise<void> {
      for (const { user_id, stored_bytes } of await store.listPayers(tx, mediaId)) {
        const limits = await lockLimits(tx, user_id);
        if (!limits || limits.used + bytes <= limits.allowed)
          return store.setCharge(tx, mediaId, user_id, stored_bytes + bytes);
      }
      throw new Failure(
        'E_QUOTA_EXCEEDED',
        'There is not enough storage left for this. Remove items and empty the trash, or ask an admin for more.',
      );
    },

    /** Throws when there is no room, with a sentence for the person about their own usage. */
    async requireRoom(tx: Transaction, userId: string, bytes: number): Promise<void> {
      const limits = await lockLimits(tx, userId);
      if (!limits || limits.used + bytes <= limits.allowed) return;
      throw new NexusError(
        'E_QUOTA_EXCEEDED',
        `There is not enough storage left. ${inMb(limits.used)} of ${inMb(limits.allowed)} MB are used, and ` +
          `${inMb(bytes)} MB more would be needed. Remove items and empty the trash, or ask an admin for more.`,
      );
    },
  };
}

function inMb(bytes: number): string {
  return (bytes / MB).toLocaleString('en', { maximumFractionDigits: 1 });
}
