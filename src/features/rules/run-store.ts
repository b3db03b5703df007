import type { Rule, RuleChange, RuleRun, RuleRunItem, RunStatus } from '../../contract/rules.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import { canReadMedia, type Viewer } from '../libraries/access/can-read-media.ts';
import type { DatedChange } from '../media/mine/rule-changes.ts';
import { isChanged, type Outcome } from './apply.ts';

const columns = (sql: Queryable) => sql`
  id, rule_id, rule_name, query, actions, is_dry_run, status, job_id, error_message, matched_count, changed_count,
  refused_count, undone_count, kept_count, undo_job_id, undo_status, created_at, finished_at`;

export async function findRun(sql: Queryable, userId: string, id: string) {
  const [run] = await sql<RuleRun[]>`
    select ${columns(sql)} from rule_runs where id = ${id} and user_id = ${userId}`;
  return run;
}

/** Lists runs of a person, or of one of their rules, newest first. */
export async function listRuns(
  sql: Queryable,
  userId: string,
  { ruleId, last, limit }: { ruleId: string | undefined; last: string | null; limit: number },
) {
  return sql<RuleRun[]>`
    select ${columns(sql)}
    from rule_runs
    where user_id = ${userId}
      ${ruleId === undefined ? sql`` : sql`and rule_id = ${ruleId}`}
      ${last === null ? sql`` : sql`and id < ${last}`}
    order by id desc
    limit ${limit}`;
}

export async function lockRun(tx: Transaction, userId: string, id: string) {
  const [run] = await tx<RuleRun[]>`
    select ${columns(tx)} from rule_runs where id = ${id} and user_id = ${userId} for no key update`;
  return run;
}

/** Whether the rule has a run that is not over. */
export async function isRunning(sql: Queryable, ruleId: string): Promise<boolean> {
  const running = await sql`
    select from rule_runs where rule_id = ${ruleId} and status in ('queued', 'running') limit 1`;
  return running.length > 0;
}

interface NewRun {
  id: string;
  rule: Rule;
  isDryRun: boolean;
  jobId: string;
}

export async function insertRun(tx: Transaction, userId: string, { id, rule, isDryRun, jobId }: NewRun) {
  await tx`
    insert into rule_runs (id, user_id, rule_id, rule_name, query, actions, is_dry_run, job_id)
    values (
      ${id}, ${userId}, ${rule.id}, ${rule.name}, ${rule.query}, ${JSON.stringify(rule.actions)}::jsonb, ${isDryRun},
      ${jobId}
    )`;
}

export async function markRunning(sql: Queryable, id: string): Promise<void> {
  await sql`update rule_runs set status = 'running' where id = ${id} and status = 'queued'`;
}

interface Ending {
  status: RunStatus;
  error_text: string | null;
}

/** Returns whose run it is; undefined when it was deleted. */
export async function markEnded(
  tx: Transaction,
  id: string,
  { status, error_text }: Ending,
): Promise<string | undefined> {
  const [run] = await tx<{ user_id: string }[]>`
    update rule_runs
    set status = ${status}, error_message = ${error_text}, finished_at = now()
    where id = ${id}
    returning user_id`;
  return run?.user_id;
}

/** Reopens a run whose job is queued again. Returns false when it was undone, or deleted. */
export async function reopenRun(tx: Transaction, id: string): Promise<boolean> {
  const reopened = await tx`
    update rule_runs
    set status = 'queued', error_message = null, finished_at = null
    where id = ${id} and undo_job_id is null`;
  return reopened.count === 1;
}

export async function setUndo(tx: Transaction, id: string, jobId: string): Promise<void> {
  await tx`update rule_runs set undo_job_id = ${jobId}, undo_status = 'queued' where id = ${id}`;
}

/** Returns whose run it is; undefined when it was deleted. */
export async function markUndo(sql: Queryable, id: string, status: RunStatus): Promise<string | undefined> {
  const [run] = await sql<{ user_id: string }[]>`
    update rule_runs
    set undo_status = ${status}
    where id = ${id} and undo_job_id is not null
    returning user_id`;
  return run?.user_id;
}

/**
 * Writes what a run changed, or would change, and counts it. A media that replaced one of an earlier batch has the item of
 * that one: it keeps its time, by which undoing finds the changes that came with it.
 */
export async function insertItems(tx: Transaction, runId: string, outcomes: Outcome[]): Promise<void> {
  if (outcomes.length === 0) return;
  const column = <T>(read: (outcome: Outcome) => T) => outcomes.map(read);
  await tx`
    insert into rule_run_items as item (run_id, media_id, tags, is_added, is_archived, is_favourite, refused)
    select
      ${runId}, media_id, array(select jsonb_array_elements_text(tags)), is_added, is_archived, is_favourite,
      array(select jsonb_array_elements_text(refused))
    from unnest(
      ${column(({ media_id }) => media_id)}::uuid[],
      ${column(({ tags }) => JSON.stringify(tags))}::jsonb[],
      ${column(({ is_added }) => is_added)}::boolean[],
      ${column(({ is_archived }) => is_archived)}::boolean[],
      ${column(({ is_favourite }) => is_favourite)}::boolean[],
      ${column(({ refused }) => JSON.stringify(refused))}::jsonb[]
    ) as given (media_id, tags, is_added, is_archived, is_favourite, refused)
    on conflict (run_id, media_id) do update
    set tags = array(select unnest(item.tags) union select unnest(excluded.tags) order by 1),
        is_added = item.is_added or excluded.is_added,
        is_archived = item.is_archived or excluded.is_archived,
        is_favourite = item.is_favourite or excluded.is_favourite,
        refused = excluded.refused,
        changed_at = case
          when item.tags = '{}' and not (item.is_added or item.is_archived or item.is_favourite) then excluded.changed_at
          else item.changed_at
        end`;
  await tx`
    update rule_runs
    set matched_count = matched_count + ${outcomes.length},
        changed_count = changed_count + ${outcomes.filter(isChanged).length},
        refused_count = refused_count + ${outcomes.filter(({ refused }) => refused.length > 0).length}
    where id = ${runId}`;
}

/**
 * Copies the items of a media to the one that replaces it, in runs that have none of that one. A run that is deleted at this
 * moment is left out.
 */
export async function copyItems(tx: Transaction, fromId: string, toId: string): Promise<void> {
  await tx`
    insert into rule_run_items (
      run_id, media_id, tags, is_added, is_archived, is_favourite, refused, changed_at, undone_at, kept
    )
    select
      item.run_id, ${toId}, item.tags, item.is_added, item.is_archived, item.is_favourite, item.refused, item.changed_at,
      item.undone_at, item.kept
    from rule_run_items as item
    join rule_runs on rule_runs.id = item.run_id
    where item.media_id = ${fromId}
    order by item.run_id
    for key share of rule_runs
    on conflict do nothing`;
}

/** Lists the items of a run whose media the viewer may read, in the order of the media. */
export async function listItems(
  sql: Queryable,
  viewer: Viewer,
  runId: string,
  { last, limit }: { last: string | null; limit: number },
) {
  return sql<(RuleRunItem & { id: string })[]>`
    select
      media.id, item.media_id, coalesce(mine.title, media.title) as title, item.tags, item.is_added, item.is_archived,
      item.is_favourite, item.refused, item.undone_at, item.kept
    from rule_run_items as item
    join media on media.id = item.media_id
    left join media_mine as mine on mine.user_id = ${viewer.user_id} and mine.media_id = item.media_id
    where item.run_id = ${runId}
      ${last === null ? sql`` : sql`and item.media_id > ${last}`}
      and ${canReadMedia(sql, viewer, sql`item.media_id`)}
    order by item.media_id
    limit ${limit}`;
}

/** An item that was not undone yet. Its time is text, because microseconds count. */
export interface ItemToUndo extends DatedChange {
  is_added: boolean;
}

export async function listToUndo(sql: Queryable, runId: string, limit: number) {
  return sql<ItemToUndo[]>`
    select media_id, tags, is_added, is_archived, is_favourite, changed_at::text as changed_at
    from rule_run_items
    where run_id = ${runId} and undone_at is null
    order by media_id
    limit ${limit}`;
}

export interface UndoneItem {
  media_id: string;
  isTaken: boolean;
  kept: RuleChange[];
}

/** Writes what undoing kept of each item, and counts it. Items that went over to another media since are left to the next batch. */
export async function markItemsUndone(tx: Transaction, runId: string, items: UndoneItem[]): Promise<void> {
  const marked = await tx<{ media_id: string }[]>`
    update rule_run_items as item
    set undone_at = now(), kept = array(select jsonb_array_elements_text(given.kept))
    from unnest(
      ${items.map(({ media_id }) => media_id)}::uuid[],
      ${items.map(({ kept }) => JSON.stringify(kept))}::jsonb[]
    ) as given (media_id, kept)
    where item.run_id = ${runId} and item.media_id = given.media_id
    returning item.media_id`;
  const ids = new Set(marked.map(({ media_id }) => media_id));
  const undone = items.filter(({ media_id }) => ids.has(media_id));
  await tx`
    update rule_runs
    set undone_count = undone_count + ${undone.filter(({ isTaken }) => isTaken).length},
        kept_count = kept_count + ${undone.filter(({ kept }) => kept.length > 0).length}
    where id = ${runId}`;
}

/** Deletes those of the runs that ended long ago, with their items. Returns how many. */
export async function deleteOldRuns(sql: Queryable, ids: string[], days: number): Promise<number> {
  const deleted = await sql`
    delete from rule_runs
    where id = any(${ids})
      and finished_at < now() - ${days} * interval '1 day'
      and (undo_status is null or undo_status not in ('queued', 'running'))`;
  return deleted.count;
}
