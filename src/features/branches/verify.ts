import type { Queryable } from '../../platform/database/database.ts';
import { applyEdit, EditOutOfRange, textHash } from './edit.ts';
import * as store from './store.ts';
import { asEdit, SNAPSHOT_EVERY } from './text.ts';

/** What is not as it was written: where, and what differs. */
export interface Damage {
  kind:
    | 'branch_origin_differs'
    | 'branch_base_altered'
    | 'branch_event_missing'
    | 'branch_event_altered'
    | 'branch_event_hash_altered'
    | 'branch_snapshot_altered'
    | 'branch_snapshot_missing'
    | 'branch_head_altered';
  branch_id: string;
  position: number;
  recorded?: string;
  found?: string;
}

export interface Verification {
  text_hash: string;
  event_count: number;
  damage: Damage[];
}

export interface VerifyOptions {
  signal: AbortSignal;
  /** Told after every batch of events. */
  onProgress?(eventCount: number): Promise<unknown>;
  /** Called for a snapshot that is missing or altered, with what it should hold. */
  onSnapshot?(position: number, text: string): Promise<void>;
}

/** Held at once; each may carry a long text. */
const EVENTS_AT_ONCE = SNAPSHOT_EVERY;

/**
 * Does everything again from what was forked, and compares each text with the hash that was recorded for it.
 *
 * From an event that was altered on, no hash holds; only the first is told. When the next one holds again, it was the
 * hash that was altered and not the event. A snapshot that still has its hash sets the text right again, so that what
 * comes after it is verified as well.
 */
export async function verifyBranch(
  sql: Queryable,
  branch: store.BranchRow,
  { signal, onProgress, onSnapshot }: VerifyOptions,
): Promise<Verification> {
  const damage: Damage[] = [];
  const tell = (kind: Damage['kind'], position: number, more: Partial<Damage> = {}) =>
    damage.push({ kind, branch_id: branch.id, position, ...more });
  const base = await store.findSnapshot(sql, branch.id, 0);
  let text = base?.text ?? '';
  let found = textHash(text);
  /** The event from which on the hashes do not hold. */
  let off: { position: number; recorded: string; found: string } | undefined;
  if (!base || found !== branch.base_hash) {
    tell('branch_base_altered', 0, { recorded: branch.base_hash, found });
    off = { position: 0, recorded: branch.base_hash, found };
  }
  await compareOrigin(sql, branch, tell);

  let position = 0;
  /** Ends what is off: as an altered event, unless it turns out that only the hash was. */
  const settle = (kind: 'branch_event_altered' | 'branch_event_hash_altered') => {
    if (off && off.position > 0) tell(kind, off.position, { recorded: off.recorded, found: off.found });
    off = undefined;
  };
  walk: while (position < branch.event_count) {
    signal.throwIfAborted();
    const events = await store.listEvents(sql, branch.id, position, branch.event_count, EVENTS_AT_ONCE);
    if (events.length === 0) {
      tell('branch_event_missing', position + 1);
      break;
    }
    for (const event of events) {
      if (event.position !== position + 1) {
        tell('branch_event_missing', position + 1);
        break walk;
      }
      position = event.position;
      try {
        text = applyEdit(text, asEdit(event));
      } catch (error) {
        if (!(error instanceof EditOutOfRange)) throw error;
        if (!off) tell('branch_event_altered', position, { recorded: event.text_hash, found: error.message });
        break walk;
      }
      found = textHash(text);
      if (found !== event.text_hash) off ??= { position, recorded: event.text_hash, found };
      else if (off) settle('branch_event_hash_altered');
      if (position % SNAPSHOT_EVERY === 0) await compareSnapshot(event.text_hash);
    }
    await onProgress?.(position);
  }
  if (position === branch.event_count && off && found === branch.text_hash)
    settle('branch_event_hash_altered');
  const isWhole = position === branch.event_count && !off;
  settle('branch_event_altered');
  if (isWhole && found !== branch.text_hash) {
    tell('branch_head_altered', position, { recorded: branch.text_hash, found });
  }
  return { text_hash: found, event_count: position, damage };

  async function compareSnapshot(recorded: string): Promise<void> {
    const snapshot = await store.findSnapshot(sql, branch.id, position);
    const kept = snapshot?.position === position ? snapshot.text : undefined;
    if (kept === text) return;
    if (kept !== undefined && off && textHash(kept) === recorded) {
      settle('branch_event_altered');
      text = kept;
      return;
    }
    if (off) return;
    tell(kept === undefined ? 'branch_snapshot_missing' : 'branch_snapshot_altered', position);
    await onSnapshot?.(position, text);
  }
}

/** What was forked does not change: neither a document's text nor the text of a branch after an event. */
async function compareOrigin(
  sql: Queryable,
  branch: store.BranchRow,
  tell: (kind: Damage['kind'], position: number, more: Partial<Damage>) => void,
): Promise<void> {
  const origin = await store.findOrigin(sql, branch);
  const found = 'hash' in origin ? origin.hash : origin.text === null ? null : textHash(origin.text);
  if (found === branch.base_hash) return;
  tell('branch_origin_differs', 0, { recorded: branch.base_hash, found: found ?? 'nothing' });
}

const SENTENCES: Record<Damage['kind'], (damage: Damage) => string> = {
  branch_origin_differs: ({ found }) => `what it was forked from has the hash ${found} now`,
  branch_base_altered: ({ found, recorded }) =>
    `the text that was forked has the hash ${found} in place of ${recorded}`,
  branch_event_missing: ({ position }) => `event ${position} is missing`,
  branch_event_altered: ({ position, found, recorded }) =>
    `event ${position} was altered: it recorded ${recorded}, and leads to ${found}`,
  branch_event_hash_altered: ({ position, found, recorded }) =>
    `the hash of event ${position} was altered: it says ${recorded}, and the text has ${found}`,
  branch_snapshot_altered: ({ position }) => `the text kept after event ${position} was altered`,
  branch_snapshot_missing: ({ position }) => `the text kept after event ${position} is missing`,
  branch_head_altered: ({ position, found, recorded }) =>
    `the branch says that it ends with ${recorded}, and after event ${position} the text has ${found}`,
};

export function inWords(damage: Damage[]): string {
  return damage.map((one) => SENTENCES[one.kind](one)).join('; ');
}
