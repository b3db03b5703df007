import type { Branch, BranchEvent, Edit } from '../../contract/branches.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import type { SqlFragment } from '../../platform/database/statement.ts';
import { canReadMedia, seesWorkOnMedia, type Viewer } from '../libraries/access/can-read-media.ts';

/** A branch as it is stored. */
export interface BranchRow extends Branch {
  base_hash: string;
  base_length: number;
  created_by_user_id: string;
}

const columns = (sql: Queryable) => sql`
  branches.id, branches.media_id, branches.name, branches.parent_branch_id, branches.parent_position,
  branches.base_hash, branches.base_length, branches.event_count, branches.text_hash, branches.text_length,
  users.username as created_by, branches.created_by_user_id, branches.created_at, branches.updated_at`;

const isVisible = (sql: Queryable, viewer: Viewer) =>
  seesWorkOnMedia(sql, viewer, {
    mediaId: sql`branches.media_id`,
    authorId: sql`branches.created_by_user_id`,
  });

const selectBranches = (sql: Queryable) => sql`
  select ${columns(sql)}
  from branches
  join users on users.id = branches.created_by_user_id`;

export async function findBranch(sql: Queryable, viewer: Viewer, branchId: string) {
  const [branch] = await sql<BranchRow[]>`
    ${selectBranches(sql)}
    where branches.id = ${branchId} and ${isVisible(sql, viewer)}`;
  return branch;
}

/** Finds and locks a branch: nobody else can append until the transaction ends. */
export async function lockBranch(tx: Transaction, viewer: Viewer, branchId: string) {
  await tx`select from branches where id = ${branchId} for no key update`;
  return findBranch(tx, viewer, branchId);
}

/** Deletes a branch with its events, unless another one was forked from it. Returns whether it was deleted. */
export async function deleteBranch(tx: Transaction, branchId: string): Promise<boolean> {
  const deleted = await tx`
    delete from branches
    where id = ${branchId}
      and not exists (select from branches as child where child.parent_branch_id = ${branchId})`;
  return deleted.count === 1;
}

/** Newest first. */
export async function listBranches(
  sql: Queryable,
  viewer: Viewer,
  { mediaId, before, limit }: { mediaId: string; before: string | null; limit: number },
) {
  return sql<BranchRow[]>`
    ${selectBranches(sql)}
    where branches.media_id = ${mediaId} and ${isVisible(sql, viewer)}
      ${before === null ? sql`` : sql`and branches.id < ${before}`}
    order by branches.id desc
    limit ${limit}`;
}

/** Returns the hash and length of a document's text, for those who can read it; null while it has none. */
export async function measureDocument(tx: Transaction, viewer: Viewer, mediaId: string) {
  const [document] = await tx<{ text_hash: string | null; text_length: number | null }[]>`
    select ${hashOf(tx, tx`plain_text`)} as text_hash, char_length(plain_text) as text_length
    from media
    where id = ${mediaId} and ${canReadMedia(tx, viewer, tx`media.id`)}
    for key share`;
  return document;
}

/** Computes the same hash as `textHash` in PostgreSQL, so that a long text is not transferred. */
const hashOf = (sql: Queryable, column: SqlFragment) =>
  sql`encode(sha256(convert_to(${column}, 'UTF8')), 'hex')`;

/** Copies the text of a document as the base of a branch. */
export async function copyDocumentText(tx: Transaction, branchId: string, mediaId: string): Promise<void> {
  await tx`
    insert into branch_snapshots (branch_id, position, text)
    select ${branchId}, 0, plain_text
    from media
    where id = ${mediaId}`;
}

type NewBranch = Pick<
  BranchRow,
  'id' | 'media_id' | 'name' | 'parent_branch_id' | 'parent_position' | 'text_hash' | 'text_length'
> & { created_by_user_id: string };

export async function insertBranch(tx: Transaction, branch: NewBranch): Promise<void> {
  await tx`
    insert into branches (
      id, media_id, name, parent_branch_id, parent_position, base_hash, base_length, text_hash, text_length,
      created_by_user_id
    )
    values (
      ${branch.id}, ${branch.media_id}, ${branch.name}, ${branch.parent_branch_id}, ${branch.parent_position},
      ${branch.text_hash}, ${branch.text_length}, ${branch.text_hash}, ${branch.text_length},
      ${branch.created_by_user_id}
    )`;
}

export type NewEvent = Pick<BranchEvent, 'position' | 'text_hash' | 'text_length'> & { edit: Edit };

export async function insertEvents(tx: Transaction, branchId: string, userId: string, events: NewEvent[]) {
  const column = <T>(read: (event: NewEvent) => T) => events.map(read);
  await tx`
    insert into branch_events (
      branch_id, position, kind, at, length, text, form, text_hash, text_length, created_by_user_id
    )
    select ${branchId}, event.*, ${userId}
    from unnest(
      ${column(({ position }) => position)}::int[],
      ${column(({ edit }) => edit.kind)}::text[],
      ${column(({ edit }) => ('at' in edit ? edit.at : null))}::int[],
      ${column(({ edit }) => ('length' in edit ? edit.length : null))}::int[],
      ${column(({ edit }) => ('text' in edit ? edit.text : null))}::text[],
      ${column(({ edit }) => ('form' in edit ? edit.form : null))}::text[],
      ${column(({ text_hash }) => text_hash)}::text[],
      ${column(({ text_length }) => text_length)}::int[]
    ) as event`;
}

export async function moveHead(
  tx: Transaction,
  branchId: string,
  head: Pick<BranchRow, 'event_count' | 'text_hash' | 'text_length'>,
): Promise<void> {
  await tx`
    update branches
    set event_count = ${head.event_count}, text_hash = ${head.text_hash}, text_length = ${head.text_length},
        updated_at = now()
    where id = ${branchId}`;
}

/**
 * Lists the events after one position and up to another, in order. They name people to a viewer who would see a branch of
 * theirs: two people who see this branch through different libraries do not learn of each other.
 */
export async function listEvents(
  sql: Queryable,
  branchId: string,
  { after, upTo, limit, viewer }: { after: number; upTo: number; limit: number; viewer?: Viewer },
): Promise<BranchEvent[]> {
  const work = { mediaId: sql`branches.media_id`, authorId: sql`branch_events.created_by_user_id` };
  return sql<BranchEvent[]>`
    select
      position, kind, at, length, text, form, branch_events.text_hash, branch_events.text_length,
      case when ${viewer ? seesWorkOnMedia(sql, viewer, work) : sql`false`} then users.username end as created_by,
      branch_events.created_at
    from branch_events
    join branches on branches.id = branch_events.branch_id
    join users on users.id = branch_events.created_by_user_id
    where branch_id = ${branchId} and position > ${after} and position <= ${upTo}
    order by position
    limit ${limit}`;
}

/** Finds the last snapshot at or before a position. */
export async function findSnapshot(sql: Queryable, branchId: string, position: number) {
  const [snapshot] = await sql<{ position: number; text: string }[]>`
    select position, text
    from branch_snapshots
    where branch_id = ${branchId} and position <= ${position}
    order by position desc
    limit 1`;
  return snapshot;
}

export async function writeSnapshot(sql: Queryable, branchId: string, position: number, text: string) {
  await sql`
    insert into branch_snapshots (branch_id, position, text)
    values (${branchId}, ${position}, ${text})
    on conflict (branch_id, position) do update set text = excluded.text`;
}

/** Lists the next branches in the order of their ids, regardless of access. */
export async function nextBranches(sql: Queryable, after: string | null, limit: number) {
  return sql<BranchRow[]>`
    ${selectBranches(sql)}
    ${after === null ? sql`` : sql`where branches.id > ${after}`}
    order by branches.id
    limit ${limit}`;
}

/** Returns the hash of the forked text at its source; null when the source no longer exists. */
export async function findOriginHash(sql: Queryable, branch: BranchRow): Promise<string | null> {
  const { media_id, parent_branch_id, parent_position } = branch;
  if (parent_branch_id === null) {
    const [document] = await sql<{ hash: string | null }[]>`
      select ${hashOf(sql, sql`plain_text`)} as hash
      from media
      where id = ${media_id}`;
    return document?.hash ?? null;
  }
  const [parent] = await sql<{ hash: string | null }[]>`
    select case when ${parent_position}::int = 0 then branches.base_hash else branch_events.text_hash end as hash
    from branches
    left join branch_events
      on branch_events.branch_id = branches.id and branch_events.position = ${parent_position}
    where branches.id = ${parent_branch_id}`;
  return parent?.hash ?? null;
}

export async function exists(sql: Queryable, branchId: string): Promise<boolean> {
  const found = await sql`select from branches where id = ${branchId}`;
  return found.length === 1;
}
