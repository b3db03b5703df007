import { NexusError } from '../../contract/errors.ts';
import type { Reply } from '../../contract/highlights.ts';
import type { ListQuery } from '../../contract/wire.ts';
import type { Actor } from '../../platform/audit/audit.ts';
import { cutPage, readCursor } from '../../platform/cursor.ts';
import type { Database } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import { emitEvent } from '../../platform/outbox/emit-event.ts';
import { versionOf } from '../../platform/version-tag.ts';
import type { Viewer } from '../libraries/access/can-read-media.ts';
import { highlightNotFound } from './highlights.ts';
import * as replies from './reply-store.ts';
import * as store from './store.ts';

/** The most people whom one reply mentions. */
const MOST_MENTIONED = 20;
/** Matches @username where no letter or digit is before it, so that mail addresses are no mentions. */
const MENTION = /(?<![\p{L}\p{N}@._+-])@([A-Za-z0-9](?:[A-Za-z0-9._@+-]{0,126}[A-Za-z0-9])?)/gu;

export type Replies = ReturnType<typeof createReplies>;

export function createReplies({ sql }: { sql: Database }) {
  async function requireReply(viewer: Viewer, id: string): Promise<Reply> {
    return toReply(viewer, (await replies.findReply(sql, viewer, id)) ?? replyNotFound());
  }

  return {
    get: requireReply,

    /** Lists the replies to a highlight that the viewer sees, oldest first. */
    async list(viewer: Viewer, highlightId: string, { cursor, limit }: ListQuery) {
      const page = { after: readCursor(cursor), limit: limit + 1 };
      const rows = await replies.listReplies(sql, viewer, highlightId, page);
      if (rows.length === 0 && !(await store.findHighlight(sql, viewer, highlightId))) highlightNotFound();
      const { data, page: next } = cutPage(rows, limit);
      return { data: data.map((row) => toReply(viewer, row)), page: next };
    },

    /** Replies to a highlight. Whoever sees it may. */
    async create(viewer: Viewer, highlightId: string, body: string, actor: Actor): Promise<Reply> {
      const id = newId();
      await transaction(
        sql,
        async (tx) => {
          const highlight = (await store.lockHighlight(tx, viewer, highlightId)) ?? highlightNotFound();
          await replies.insertReply(tx, { id, highlight_id: highlightId, user_id: viewer.user_id, body });
          const mentioned_user_ids = await replies.writeMentions(tx, id, mentionsIn(body));
          await emitEvent(tx, {
            eventType: 'reply.created',
            aggregateType: 'highlight',
            aggregateId: highlightId,
            payload: {
              reply_id: id,
              highlight_id: highlightId,
              media_id: highlight.media_id,
              user_id: viewer.user_id,
              mentioned_user_ids,
              is_private: highlight.library_ids.length === 0,
            },
            requestId: actor.requestId,
          });
        },
        actor,
      );
      return requireReply(viewer, id);
    },

    async edit(viewer: Viewer, id: string, body: string, actor: Actor): Promise<Reply> {
      await transaction(sql, async (tx) => {
        const before = requireOwn(viewer, await replies.lockReply(tx, viewer, id));
        actor.requireVersion?.(replyVersion(before));
        await replies.updateReply(tx, id, body);
        await replies.writeMentions(tx, id, mentionsIn(body));
      });
      return requireReply(viewer, id);
    },

    async delete(viewer: Viewer, id: string): Promise<void> {
      await transaction(sql, async (tx) => {
        const reply = (await replies.lockReply(tx, viewer, id)) ?? replyNotFound();
        const highlight = await store.findHighlight(tx, viewer, reply.highlight_id);
        // The author of a highlight may keep its margin clean.
        if (highlight?.user_id !== viewer.user_id) requireOwn(viewer, reply);
        await replies.deleteReply(tx, id);
      });
    },
  };
}

function mentionsIn(body: string): string[] {
  const names = [...body.matchAll(MENTION)].map(([, name]) => (name ?? '').toLowerCase());
  return [...new Set(names)].slice(0, MOST_MENTIONED);
}

function requireOwn(viewer: Viewer, found: replies.ReplyRow | undefined): replies.ReplyRow {
  const reply = found ?? replyNotFound();
  if (reply.user_id === viewer.user_id) return reply;
  throw new NexusError('E_FORBIDDEN', 'Only its author can change a reply.');
}

function replyNotFound(): never {
  throw new NexusError('E_NOT_FOUND', 'This reply is gone, or you no longer have access.');
}

function toReply(viewer: Viewer, { user_id, ...row }: replies.ReplyRow): Reply {
  return { ...row, is_mine: user_id === viewer.user_id };
}

/** Names the state of a reply. */
export function replyVersion({ body }: Pick<Reply, 'body'>): string {
  return versionOf(body);
}
