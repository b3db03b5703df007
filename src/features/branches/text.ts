import type { BranchEvent, Edit } from '../../contract/branches.ts';
import { NexusError } from '../../contract/errors.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { applyEdit, EditOutOfRange, textHash } from './edit.ts';
import * as store from './store.ts';

/**
 * After so many events the text is kept whole. Reading at any point then applies fewer than these, whose texts are read
 * with them.
 */
export const SNAPSHOT_EVERY = 64;

/** The text of a branch at a position as it is stored: a kept text, and the events since. */
export interface StoredText {
  position: number;
  snapshot: string;
  events: Edit[];
  /** The hash that the text must have. */
  recorded: string;
}

/** Reads what `textOf` needs. That may be long, so it is computed elsewhere. */
export async function readStoredText(
  sql: Queryable,
  branch: store.BranchRow,
  position: number,
): Promise<StoredText> {
  if (position > branch.event_count) {
    throw new NexusError(
      'E_INVALID_REQUEST',
      `position takes at most ${branch.event_count}: the branch has no more events.`,
    );
  }
  const snapshot = await store.findSnapshot(sql, branch.id, position);
  if (!snapshot) throw damaged(branch.id, position);
  const events = await store.listEvents(sql, branch.id, {
    after: snapshot.position,
    upTo: position,
    limit: SNAPSHOT_EVERY * 2,
  });
  const recorded = position === 0 ? branch.base_hash : await hashAt(sql, branch.id, position, events);
  if (recorded === undefined) throw damaged(branch.id, position);
  return { position, snapshot: snapshot.text, events: events.map(asEdit), recorded };
}

/** What the event at a position recorded: one of those that were read, or the one that a snapshot was taken after. */
async function hashAt(
  sql: Queryable,
  branchId: string,
  position: number,
  read: BranchEvent[],
): Promise<string | undefined> {
  const [event] =
    read.length > 0
      ? read.slice(-1)
      : await store.listEvents(sql, branchId, { after: position - 1, upTo: position, limit: 1 });
  return event?.position === position ? event.text_hash : undefined;
}

/** The text; undefined when it does not have the recorded hash, and so must not be given out. */
export function textOf({ snapshot, events, recorded }: StoredText): string | undefined {
  let text: string | undefined = snapshot;
  for (const event of events) text = text === undefined ? undefined : textAfter(text, event);
  return text !== undefined && textHash(text) === recorded ? text : undefined;
}

/** The steps that `textOf` takes: each edit counts code points and copies, and hashing reads the result. */
export function costOfText({ snapshot, events }: StoredText): number {
  const inserted = events.reduce((sum, event) => sum + ('text' in event ? (event.text?.length ?? 0) : 0), 0);
  return (snapshot.length + inserted) * (events.length + 2);
}

/** Undefined when the event is not one that could have followed. */
export function textAfter(text: string, event: Edit): string | undefined {
  try {
    return applyEdit(text, event);
  } catch (error) {
    if (error instanceof EditOutOfRange) return undefined;
    throw error;
  }
}

/** The columns of an event that its kind has, which the database sees to. */
export function asEdit({ kind, at, length, text, form }: BranchEvent): Edit {
  return { kind, at, length, text, form } as Edit;
}

export function damaged(branchId: string, position: number): NexusError {
  return new NexusError(
    'E_BRANCH_DAMAGED',
    `What is stored of the branch does not have the hash that event ${position} recorded. ` +
      `The job branch_replay with the branch_id ${branchId} says where it begins to differ.`,
  );
}
