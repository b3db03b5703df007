import type { Person } from '../../contract/identity.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import type { Viewer } from '../libraries/access/can-read-media.ts';
import { canSeeHighlight, canSeeMention, canSeeReply } from './visibility.ts';

export interface ReplyRow {
  id: string;
  highlight_id: string;
  user_id: string;
  body: string;
  created_by: Person;
  mentions: Person[];
  created_at: Date;
  updated_at: Date;
}

const personOf = (sql: Queryable, table: 'author' | 'mentioned') =>
  table === 'author'
    ? sql`json_build_object('id', author.id, 'username', author.username, 'display_name', author.display_name)`
    : sql`json_build_object(
        'id', mentioned.id, 'username', mentioned.username, 'display_name', mentioned.display_name
      )`;

/** Selects replies that the viewer sees. Of the people mentioned, those who see the reply too are named. */
const selectReplies = (sql: Queryable, viewer: Viewer) => sql`
  select
    reply.id, reply.highlight_id, reply.user_id, reply.body, reply.created_at, reply.updated_at,
    ${personOf(sql, 'author')} as created_by,
    (
      select coalesce(json_agg(${personOf(sql, 'mentioned')} order by mentioned.username), '[]')
      from highlight_mentions as mention
      join users as mentioned on mentioned.id = mention.user_id
      where mention.reply_id = reply.id
        and ${canSeeMention(sql, viewer, {
          highlightId: sql`reply.highlight_id`,
          authorId: sql`reply.user_id`,
          mentionedId: sql`mentioned.id`,
        })}
    ) as mentions
  from highlight_replies as reply
  join highlights as highlight on highlight.id = reply.highlight_id
  join users as author on author.id = reply.user_id
  where ${canSeeHighlight(sql, viewer, { id: sql`highlight.id`, authorId: sql`highlight.user_id` })}
    and ${canSeeReply(sql, viewer, { highlightId: sql`highlight.id`, authorId: sql`reply.user_id` })}`;

/** Lists the replies to a highlight that the viewer sees, oldest first. */
export async function listReplies(
  sql: Queryable,
  viewer: Viewer,
  highlightId: string,
  { after, limit }: { after: string | null; limit: number },
) {
  return sql<ReplyRow[]>`
    ${selectReplies(sql, viewer)} and reply.highlight_id = ${highlightId}
      ${after === null ? sql`` : sql`and reply.id > ${after}`}
    order by reply.id
    limit ${limit}`;
}

export async function findReply(sql: Queryable, viewer: Viewer, id: string) {
  const [row] = await sql<ReplyRow[]>`${selectReplies(sql, viewer)} and reply.id = ${id}`;
  return row;
}

export async function lockReply(tx: Transaction, viewer: Viewer, id: string) {
  await tx`select from highlight_replies where id = ${id} for no key update`;
  return findReply(tx, viewer, id);
}

/** Inserts a reply to a locked highlight. Its date is later than those of all replies before it, also of slow transactions. */
export async function insertReply(
  tx: Transaction,
  reply: Pick<ReplyRow, 'id' | 'highlight_id' | 'user_id' | 'body'>,
): Promise<void> {
  await tx`
    insert into highlight_replies (id, highlight_id, user_id, body, created_at, updated_at)
    select ${reply.id}, ${reply.highlight_id}, ${reply.user_id}, ${reply.body}, moment, moment
    from clock_timestamp() as moment`;
}

export async function updateReply(tx: Transaction, id: string, body: string): Promise<void> {
  await tx`update highlight_replies set body = ${body}, updated_at = now() where id = ${id}`;
}

export async function deleteReply(tx: Transaction, id: string): Promise<void> {
  await tx`delete from highlight_replies where id = ${id}`;
}

/** Writes whom a reply mentions: those of the usernames whose owners see it. Returns their ids. */
export async function writeMentions(tx: Transaction, replyId: string, usernames: string[]) {
  await tx`delete from highlight_mentions where reply_id = ${replyId}`;
  if (usernames.length === 0) return [];
  const rows = await tx<{ user_id: string }[]>`
    insert into highlight_mentions (reply_id, user_id)
    select reply.id, users.id
    from highlight_replies as reply
    join users on lower(users.username) = any(${usernames.map((name) => name.toLowerCase())}::text[])
      and users.disabled_at is null
    where reply.id = ${replyId}
      and users.id <> reply.user_id
      and ${canSeeReply(
        tx,
        { user_id: tx`users.id` },
        {
          highlightId: tx`reply.highlight_id`,
          authorId: tx`reply.user_id`,
        },
      )}
    returning user_id`;
  return rows.map(({ user_id }) => user_id);
}
