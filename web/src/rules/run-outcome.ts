import type { RuleRun, RuleRunItem } from '../api/types.ts';
import { plural } from '../ui/numbers.ts';

const isOver = (status: string | null) =>
  status === 'succeeded' || status === 'failed' || status === 'cancelled';

export const isRunning = ({ status }: Pick<RuleRun, 'status'>) => !isOver(status);
export const isUndoing = ({ undo_status }: Pick<RuleRun, 'undo_status'>) =>
  undo_status !== null && !isOver(undo_status);
export const isUndone = ({ undo_status }: Pick<RuleRun, 'undo_status'>) => undo_status === 'succeeded';

/** Whether Undo is offered: for a run that is over, changed something, and was not undone. */
export const mayUndo = (run: RuleRun) =>
  !run.is_dry_run && !isRunning(run) && run.changed_count > 0 && !isUndoing(run) && !isUndone(run);

/** Says in a sentence where a run is, or how it ended. */
export function statusOf(run: RuleRun): string {
  const { status, is_dry_run, matched_count, changed_count, undone_count, kept_count } = run;
  if (isUndoing(run)) return `Undoing: ${plural(undone_count, 'item')} so far.`;
  if (isUndone(run)) {
    const kept = kept_count > 0 ? ` ${plural(kept_count, 'item')} kept changes that were made since.` : '';
    return `Undone: ${plural(undone_count, 'item')}.${kept}`;
  }
  const counts = `${plural(matched_count, 'item matches', 'items match')}`;
  if (isRunning(run))
    return matched_count === 0 ? 'Looking for items that match…' : `${counts} so far. Working…`;
  const items = changed_count === 0 ? 'none' : plural(changed_count, 'item');
  const changed = is_dry_run ? `${items} would change` : `${items} changed`;
  const end = status === 'failed' ? 'failed' : status === 'cancelled' && 'was cancelled';
  if (end) return is_dry_run ? `The preview ${end}.` : `The run ${end}. Before that, ${changed}.`;
  if (matched_count === 0) return 'No items match.';
  return `${counts}, ${changed}.`;
}

/** Returns the state of a run in one or two words, for lists. */
export function stateOf(run: RuleRun): { label: string; tone: 'plain' | 'accent' | 'amber' | 'danger' } {
  if (isUndoing(run)) return { label: 'Undoing', tone: 'accent' };
  if (isUndone(run)) return { label: 'Undone', tone: 'plain' };
  if (run.undo_status === 'failed') return { label: 'Undo failed', tone: 'danger' };
  if (isRunning(run)) return { label: 'Running', tone: 'accent' };
  if (run.status === 'failed') return { label: 'Failed', tone: 'danger' };
  if (run.status === 'cancelled') return { label: 'Cancelled', tone: 'amber' };
  return { label: run.is_dry_run ? 'Preview' : 'Applied', tone: 'plain' };
}

const NAMES: Record<RuleRunItem['refused'][number], string> = {
  tags: 'tags',
  library: 'the library',
  archive: 'the archive',
  favourite: 'favourites',
};

/** Says what a run did with an item, or would do. */
export function outcomeOf(item: RuleRunItem, { is_dry_run }: RuleRun, libraryName: string): string[] {
  const { tags, is_added, is_archived, is_favourite, refused, undone_at, kept } = item;
  const changes = [
    tags.length > 0 && `${tags.length === 1 ? 'tag' : 'tags'} ${tags.join(', ')}`,
    is_added && `added to ${libraryName}`,
    is_archived && 'archived',
    is_favourite && 'added to favourites',
  ].filter((change) => change !== false);
  const all = changes.join('; ');
  const lines: string[] = [];
  if (changes.length === 0) lines.push(refused.length > 0 ? 'Not changed' : 'Nothing to change');
  else if (is_dry_run) lines.push(`Would change: ${all}`);
  else if (undone_at === null) lines.push(`Changed: ${all}`);
  else if (!kept || kept.length === 0) lines.push(`Undone: ${all}`);
  else lines.push(`Undone, except what was changed since: ${kept.map((one) => NAMES[one]).join(', ')}`);
  if (refused.includes('library')) lines.push(`You may not add to ${libraryName}`);
  return lines;
}
