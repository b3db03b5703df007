import type { BranchEvent } from '../../contract/branches.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { RunByCost } from '../../platform/processes/by-cost.ts';
import * as store from './store.ts';
import { asEdit, SNAPSHOT_EVERY } from './text.ts';
import type { branchWork } from './work.ts';

/** A difference between the stored branch and its recorded hashes. */
interface Difference {
  branch_id: string;
  position: number;
  recorded?: string;
  found?: string;
}

const SENTENCES = {
  branch_origin_differs: ({ found }: Difference) => `what it was forked from has the hash ${found} now`,
  branch_base_altered: ({ found, recorded }: Difference) =>
    `the text that was forked has the hash ${found} in place of ${recorded}`,
  branch_event_missing: ({ position }: Difference) => `event ${position} is missing`,
  branch_event_altered: ({ position, found, recorded }: Difference) =>
    `event ${position} was altered: it recorded ${recorded}, and leads to ${found}`,
  branch_event_hash_altered: ({ position, found, recorded }: Difference) =>
    `the hash of event ${position} was altered: it says ${recorded}, and the text has ${found}`,
  branch_snapshot_altered: ({ position }: Difference) => `the text kept after event ${position} was altered`,
  branch_snapshot_missing: ({ position }: Difference) => `the text kept after event ${position} is missing`,
  branch_head_altered: ({ position, found, recorded }: Difference) =>
    `the branch says that it ends with ${recorded}, and after event ${position} the text has ${found}`,
};

type Damage = Difference & { kind: keyof typeof SENTENCES };

interface VerifyOptions {
  run: RunByCost<typeof branchWork>;
  signal: AbortSignal;
  /** Called after every batch of events. */
  onProgress?(eventCount: number): Promise<unknown>;
  /** Called for a snapshot that is missing or altered, with the expected text. */
  onSnapshot?(position: number, text: string): Promise<void>;
}

/** The most characters that the events of one task may process, so that it ends within its time on a busy machine. */
const CHARACTERS_AT_ONCE = 100_000_000;

/**
 * Replays a branch from its base, and compares each text with its recorded hash.
 *
 * After an altered event no hash matches; only the first is reported. When the next one matches again, the hash was
 * altered and not the event. A snapshot that still has its hash restores the text, so that the events after it are
 * verified too.
 */
export async function verifyBranch(sql: Queryable, branch: store.BranchRow, options: VerifyOptions) {
  const { run, signal, onProgress, onSnapshot } = options;
  const damage: Damage[] = [];
  const tell = (kind: Damage['kind'], position: number, more: Partial<Damage> = {}) =>
    damage.push({ kind, branch_id: branch.id, position, ...more });
  const base = await store.findSnapshot(sql, branch.id, 0);
  let text = base?.text ?? '';
  const hashOf = (given: string) => run('branches.hash', given, { signal, cost: given.length });
  let found = await hashOf(text);
  /** The first event whose hash does not match. */
  let off: { position: number; recorded: string; found: string } | undefined;
  if (!base || found !== branch.base_hash) {
    tell('branch_base_altered', 0, { recorded: branch.base_hash, found });
    off = { position: 0, recorded: branch.base_hash, found };
  }
  // Neither the text of a document nor the text of a branch after an event changes.
  const origin = await store.findOriginHash(sql, branch);
  if (origin !== branch.base_hash)
    tell('branch_origin_differs', 0, { recorded: branch.base_hash, found: origin ?? 'nothing' });

  let position = 0;
  /** Reports the current difference: as an altered event, unless only the hash was altered. */
  const settle = (kind: 'branch_event_altered' | 'branch_event_hash_altered') => {
    if (off && off.position > 0) tell(kind, off.position, { recorded: off.recorded, found: off.found });
    off = undefined;
  };
  while (position < branch.event_count) {
    signal.throwIfAborted();
    const events = await store.listEvents(sql, branch.id, {
      after: position,
      upTo: branch.event_count,
      limit: eventsAtOnce(),
    });
    const isGap = (index: number) => events[index]?.position !== position + 1 + index;
    const missing = events.length === 0 ? 0 : events.findIndex((_, index) => isGap(index));
    const following = missing < 0 ? events : events.slice(0, missing);
    const cost = 4 * events.length * text.length;
    const walked = await run('branches.walk', { text, events: following.map(asEdit) }, { signal, cost });
    for (const [index, hash] of walked.hashes.entries()) {
      const { text_hash: recorded } = following[index] as BranchEvent;
      position += 1;
      found = hash;
      if (found !== recorded) off ??= { position, recorded, found };
      else if (off) settle('branch_event_hash_altered');
    }
    text = walked.text;
    if (walked.failed !== undefined) {
      position += 1;
      const { text_hash: recorded } = following[walked.hashes.length] as BranchEvent;
      if (!off) tell('branch_event_altered', position, { recorded, found: walked.failed });
      break;
    }
    if (missing >= 0) {
      tell('branch_event_missing', position + 1);
      break;
    }
    const last = following.at(-1) as BranchEvent;
    if (position % SNAPSHOT_EVERY === 0) await compareSnapshot(last.text_hash);
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

  /** Reads events up to the next snapshot, and fewer when the text is long. */
  function eventsAtOnce(): number {
    const affordable = Math.max(1, Math.floor(CHARACTERS_AT_ONCE / (text.length + 1)));
    return Math.min(affordable, SNAPSHOT_EVERY - (position % SNAPSHOT_EVERY));
  }

  async function compareSnapshot(recorded: string): Promise<void> {
    const snapshot = await store.findSnapshot(sql, branch.id, position);
    const kept = snapshot?.position === position ? snapshot.text : undefined;
    if (kept === text) return;
    if (kept !== undefined && off && (await hashOf(kept)) === recorded) {
      settle('branch_event_altered');
      text = kept;
      return;
    }
    if (off) return;
    tell(kept === undefined ? 'branch_snapshot_missing' : 'branch_snapshot_altered', position);
    await onSnapshot?.(position, text);
  }
}

export function describeDamage(damage: Damage[]): string {
  return damage.map((one) => SENTENCES[one.kind](one)).join('; ');
}
