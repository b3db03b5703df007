import type { BranchEvent, Edit } from '../../contract/branches.ts';
import { NexusError } from '../../contract/errors.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { applyEdit, EditOutOfRange, textHash } from './edit.ts';
import * as store from './store.ts';

/** A snapshot of the text is stored after this many events. Reading at any position then applies fewer than these. */
export const SNAPSHOT_EVERY = 64;

/** The stored text of a branch at a position: a snapshot, and the events since. */
export interface StoredText {
  position: number;
  snapshot: string;
  events: Edit[];
  /** The hash that the text must have. */
  recorded: string;
}

/** Reads what `textOf` needs. The text is computed in a process, because it may be long. */
export async function readStoredText(sql: Queryable, branch: store.BranchRow, position: number) {
  const snapshot = await store.findSnapshot(sql, branch.id, position);
  if (!snapshot) throw damaged(branch.id, position);
  const range = { after: snapshot.position, upTo: position, limit: SNAPSHOT_EVERY * 2 };
  const events = await store.listEvents(sql, branch.id, range);
  const recorded = position === 0 ? branch.base_hash : await hashAt(sql, branch.id, position, events);
  if (recorded === undefined) throw damaged(branch.id, position);
  return { position, snapshot: snapshot.text, events: events.map(asEdit), recorded };
}

/** Returns the hash that the event at a position recorded: of an event that was read, or of the snapshot's. */
async function hashAt(sql: Queryable, branchId: string, position: number, read: BranchEvent[]) {
  const [event] =
    read.length > 0
      ? read.slice(-1)
      : await store.listEvents(sql, branchId, { after: position - 1, upTo: position, limit: 1 });
  return event?.position === position ? event.text_hash : undefined;
}

/** Returns the text; undefined when it does not have the recorded hash and must not be shown. */
export function textOf({ snapshot, events, recorded }: StoredText): string | undefined {
  let text: string | undefined = snapshot;
  for (const event of events) text = text === undefined ? undefined : textAfter(text, event);
  return text !== undefined && textHash(text) === recorded ? text : undefined;
}

/** The cost of `textOf`: each edit counts code points and copies, and hashing reads the result. */
export function costOfText({ snapshot, events }: StoredText): number {
  const inserted = events.reduce((sum, event) => sum + ('text' in event ? (event.text?.length ?? 0) : 0), 0);
  return (snapshot.length + inserted) * (events.length + 2);
}

/** Applies an event; undefined when it does not fit the text. */
export function textAfter(text: string, event: Edit): string | undefined {
  try {
    return applyEdit(text, event);
  } catch (error) {
    if (error instanceof EditOutOfRange) return undefined;
    throw error;
  }
}

/** The columns of an event by kind. A constraint guarantees them. */
export function asEdit({ kind, at, length, text, form }: BranchEvent): Edit {
  return { kind, at, length, text, form } as Edit;
}

export function damaged(branchId: string, position: number): NexusError {
  return new NexusError(
    'E_BRANCH_DAMAGED',
    `The stored text of the branch does not have the hash that event ${position} recorded. ` +
      `The job branch_replay with the branch_id ${branchId} says where it begins to differ.`,
  );
}
