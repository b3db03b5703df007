import { NexusError } from '../../../contract/errors.ts';
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

  /** Returns usage and limit; undefined when there is no limit. Locks the person's usage until the transaction ends. */
  async function lockLimits(tx: Transaction, userId: string) {
    const allowed = allowedBytes((await store.findUsage(tx, userId)).storage_quota_mb);
    return allowed === null ? undefined : { allowed, used: await store.lockUsage(tx, userId) };
  }

  return {
    async use(userId: string): Promise<StorageUse> {
      const { bytes, storage_quota_mb } = await store.findUsage(sql, userId);
      return { used_bytes: bytes, allowed_bytes: allowedBytes(storage_quota_mb) };
    },

    /** Whether the person may store this many more bytes. Two parallel calls cannot both get the last free space. */
    async hasRoom(tx: Transaction, userId: string, bytes: number): Promise<boolean> {
      const limits = await lockLimits(tx, userId);
      return !limits || limits.used + bytes <= limits.allowed;
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
