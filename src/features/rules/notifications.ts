import type { ListQuery } from '../../contract/wire.ts';
import { cutPage, readCursor } from '../../platform/cursor.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Viewer } from '../libraries/access/can-read-media.ts';
import { listNotifications, markSeen } from './notification-store.ts';

export type RuleNotifications = ReturnType<typeof createRuleNotifications>;

/** Messages to a person that a rule of theirs matched something they saved. */
export function createRuleNotifications({ sql }: { sql: Database }) {
  return {
    async list(viewer: Viewer, { cursor, limit }: ListQuery) {
      const last = readCursor(cursor);
      return cutPage(await listNotifications(sql, viewer, { last, limit: limit + 1 }), limit);
    },

    /** Marks a notification and all older ones as seen. */
    markSeen: (viewer: Viewer, throughId: string) => markSeen(sql, viewer, throughId),
  };
}
