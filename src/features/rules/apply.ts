import { NexusError } from '../../contract/errors.ts';
import type { RuleActions, RuleChange } from '../../contract/rules.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import { emitEvents, type NewEvent } from '../../platform/outbox/emit-event.ts';
import { PermanentError } from '../../platform/work/retry-policy.ts';
import type { Viewer } from '../libraries/access/can-read-media.ts';
import { addMedia, listMissing } from '../libraries/library-media.ts';
import { changeByRule, type OwnChange, previewRule } from '../media/mine/rule-changes.ts';
import { holdRule } from './store.ts';

/** The changes that a rule made to one media, or would make. */
export interface Outcome extends OwnChange {
  media_id: string;
  is_added: boolean;
  /** Actions that the person had no right to. */
  refused: RuleChange[];
}

interface Application {
  ruleId: string | null;
  actions: RuleActions;
  requestId?: string | undefined;
}

/** Returns the query of a rule as it is carried out. */
export const ruleQuery = (query: string) => ({ q: query, lastWordIsWhole: true });

/**
 * Applies the actions of a rule to media that the viewer may read, each with the rights that the viewer has now. Applying
 * them again changes nothing. The caller has locked the contents of the library (`lockContents`) and holds the media.
 */
export async function applyActions(
  tx: Transaction,
  viewer: Viewer,
  mediaIds: string[],
  { ruleId, actions, requestId }: Application,
): Promise<Outcome[]> {
  if (mediaIds.length === 0) return [];
  const rule = ruleId !== null && (await holdRule(tx, ruleId)) ? ruleId : null;
  const added = await addToLibrary(tx, viewer, mediaIds, { actions, requestId });
  const own = await changeByRule(tx, viewer, mediaIds, { actions, ruleId: rule, actor: { requestId } });
  if (actions.notify && rule !== null) await emitMatched(tx, viewer, mediaIds, { ruleId: rule, requestId });
  return outcomesOf(mediaIds, own, added);
}

/** Returns what `applyActions` would change. */
export async function previewActions(
  sql: Queryable,
  viewer: Viewer,
  mediaIds: string[],
  actions: RuleActions,
): Promise<Outcome[]> {
  const { library_id } = actions;
  const missing = library_id === undefined ? [] : await listMissing(sql, viewer, library_id, mediaIds);
  return outcomesOf(mediaIds, await previewRule(sql, viewer, mediaIds, actions), missing);
}

export const isChanged = ({ tags, is_added, is_archived, is_favourite }: Outcome) =>
  tags.length > 0 || is_added || is_archived || is_favourite;

/** Returns the ids that were not in the library before, or undefined when the viewer may not add to it. */
async function addToLibrary(
  tx: Transaction,
  viewer: Viewer,
  mediaIds: string[],
  { actions: { library_id }, requestId }: Omit<Application, 'ruleId'>,
): Promise<string[] | undefined> {
  if (library_id === undefined) return [];
  const media = mediaIds.map((media_id) => ({ media_id }));
  try {
    return await addMedia(tx, viewer, { libraryId: library_id, media, requestId });
  } catch (error) {
    if (error instanceof NexusError && REFUSALS.has(error.code)) return undefined;
    throw error;
  }
}

/** `addMedia` checks the right before it writes anything, so the transaction can go on. */
const REFUSALS: ReadonlySet<string> = new Set(['E_FORBIDDEN', 'E_LIBRARY_NOT_FOUND']);

function outcomesOf(mediaIds: string[], own: Map<string, OwnChange>, added: string[] | undefined): Outcome[] {
  const isAdded = new Set(added);
  const refused: RuleChange[] = added === undefined ? ['library'] : [];
  return mediaIds.map((media_id) => ({
    media_id,
    ...(own.get(media_id) ?? { tags: [], is_archived: false, is_favourite: false }),
    is_added: isAdded.has(media_id),
    refused,
  }));
}

async function emitMatched(
  tx: Transaction,
  { user_id }: Viewer,
  mediaIds: string[],
  { ruleId: rule_id, requestId }: { ruleId: string; requestId: string | undefined },
): Promise<void> {
  const events: NewEvent<'rule.matched'>[] = mediaIds.map((media_id) => ({
    eventType: 'rule.matched',
    aggregateType: 'rule',
    aggregateId: rule_id,
    payload: { rule_id, media_id, user_id, is_private: true },
    requestId,
  }));
  await emitEvents(tx, events as NewEvent[]);
}

/** Makes a refusal permanent, such as that of too many tags. */
export function permanently(error: unknown): never {
  if (error instanceof NexusError) throw new PermanentError(error.code, error.message, { cause: error });
  throw error;
}
