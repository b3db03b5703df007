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

export interface TextAt {
  position: number;
  text: string;
  text_hash: string;
}

/** The text of a branch after one of its events; what does not have the recorded hash is not given out. */
export async function textAt(sql: Queryable, branch: store.BranchRow, position: number): Promise<TextAt> {
  if (position > branch.event_count) {
    throw new NexusError(
      'E_INVALID_REQUEST',
      `position takes at most ${branch.event_count}: the branch has no more events.`,
    );
  }
  const snapshot = await store.findSnapshot(sql, branch.id, position);
  if (!snapshot) throw damaged(branch.id, position);
  const events = await store.listEvents(sql, branch.id, snapshot.position, position, SNAPSHOT_EVERY * 2);
  const text = replay(snapshot.text, events);
  const recorded = position === 0 ? branch.base_hash : await hashAt(sql, branch.id, position, events);
  if (text === undefined || textHash(text) !== recorded) throw damaged(branch.id, position);
  return { position, text, text_hash: recorded };
}

/** What the event at a position recorded: one of those that were read, or the one that a snapshot was taken after. */
async function hashAt(
  sql: Queryable,
  branchId: string,
  position: number,
  read: BranchEvent[],
): Promise<string | undefined> {
  const [event] =
    read.length > 0 ? read.slice(-1) : await store.listEvents(sql, branchId, position - 1, position, 1);
  return event?.position === position ? event.text_hash : undefined;
}

function replay(start: string, events: BranchEvent[]): string | undefined {
  let text: string | undefined = start;
  for (const event of events) text = text === undefined ? undefined : textAfter(text, event);
  return text;
}

/** Undefined when the event is not one that could have followed. */
export function textAfter(text: string, event: BranchEvent): string | undefined {
  try {
    return applyEdit(text, asEdit(event));
  } catch (error) {
    if (error instanceof EditOutOfRange) return undefined;
    throw error;
  }
}

/** The columns of an event that its kind has, which the database sees to. */
export function asEdit({ kind, at, length, text, form }: BranchEvent): Edit {
  return { kind, at, length, text, form } as Edit;
}

function damaged(branchId: string, position: number): NexusError {
  return new NexusError(
    'E_BRANCH_DAMAGED',
    `What is stored of the branch does not have the hash that event ${position} recorded. ` +
      `The job branch_replay with the branch_id ${branchId} says where it begins to differ.`,
  );
}
