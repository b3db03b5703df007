import {
  type BranchEvent,
  type Comparison,
  type Edit,
  MAX_BRANCH_TEXT_LENGTH,
} from '../../contract/branches.ts';
import type { Page } from '../../contract/wire.ts';
import {
  compileRules,
  decisionOf,
  mergedHits,
  type PolicyHit,
  type Rule,
  redactedDeep,
} from '../governance/rules.ts';
import { compareTexts } from './compare.ts';
import { applyEdit, countCodePoints, EditOutOfRange, lengthAfter, textHash, unitsOf } from './edit.ts';
import { asEdit, SNAPSHOT_EVERY, type StoredText, textAfter, textOf } from './text.ts';

/** An answer as JSON, null when a policy blocks it; or nothing, when the stored text is damaged. */
export type Shown = { json: Uint8Array | null; hits: PolicyHit[] } | { damagedAt: number };

/** The result of appending: a hash for every event and the snapshots to store, or why nothing is appended. */
type Appended =
  | { events: { text_hash: string; text_length: number }[]; snapshots: { position: number; text: string }[] }
  | { damagedAt: number }
  | { refused: { path: string; message: string } };

/** The tasks of branches, which run in text processes. */
export const branchWork = {
  'branches.hash': (text: string) => textHash(text),

  'branches.copy'(at: StoredText) {
    const text = textOf(at);
    if (text === undefined) return { damagedAt: at.position };
    return { text, text_hash: textHash(text), text_length: countCodePoints(text) };
  },

  /** Returns the hash after each event, the text after the last that fits, and why the next one does not. */
  'branches.walk'({ text: start, events }: { text: string; events: Edit[] }) {
    let text = start;
    const hashes: string[] = [];
    for (const event of events) {
      try {
        text = applyEdit(text, event);
      } catch (error) {
        if (!(error instanceof EditOutOfRange)) throw error;
        return { hashes, text, failed: error.message };
      }
      hashes.push(textHash(text));
    }
    return { hashes, text, failed: undefined };
  },

  'branches.append'({ at, edits }: { at: StoredText; edits: Edit[] }): Appended {
    let text = textOf(at);
    if (text === undefined) return { damagedAt: at.position };
    let length = countCodePoints(text);
    const appended = { events: [], snapshots: [] } as Extract<Appended, { events: unknown }>;
    for (const [index, edit] of edits.entries()) {
      try {
        text = applyEdit(text, edit);
      } catch (error) {
        if (!(error instanceof EditOutOfRange)) throw error;
        return { refused: { path: `events.${index}`, message: `does not fit: ${error.message}` } };
      }
      length = lengthAfter(length, edit, text);
      if (length > MAX_BRANCH_TEXT_LENGTH) {
        return { refused: { path: `events.${index}`, message: `makes the text too long. ${TOO_LONG}` } };
      }
      appended.events.push({ text_hash: textHash(text), text_length: length });
      const position = at.position + index + 1;
      if (position % SNAPSHOT_EVERY === 0) appended.snapshots.push({ position, text });
    }
    return appended;
  },

  'branches.text'({ branch_id, at, rules }: { branch_id: string; at: StoredText; rules: Rule[] }): Shown {
    const text = textOf(at);
    if (text === undefined) return { damagedAt: at.position };
    const { value, hits } = redactedDeep(text, compileRules(rules));
    const { position, recorded: text_hash } = at;
    const data = { branch_id, position, text: value, text_hash, text_length: countCodePoints(text) };
    return shown({ data }, hits);
  },

  /** Compares the texts as the caller may see them, so that a difference shows nothing that a policy hides. */
  'branches.compare'({ from, to, rules }: { from: Side; to: Side; rules: Rule[] }): Shown {
    const [before, after] = [textOf(from.at), textOf(to.at)];
    if (before === undefined) return { damagedAt: from.at.position };
    if (after === undefined) return { damagedAt: to.at.position };
    const { value, hits } = redactedDeep({ before, after }, compileRules(rules));
    const data = { from: point(from), to: point(to), ...compareTexts(value.before, value.after) };
    return shown({ data }, hits);
  },

  /**
   * Applies policies to events together with the text around them, so that a word that was written in two events is
   * hidden; and to each event alone, because a whole word may have become part of another in the text.
   */
  'branches.events'({ before, events, page, rules }: EventsTask): Shown {
    const compiled = compileRules(rules);
    const placed = inContext(before && textOf(before), events);
    const contexts = placed.map(({ event, context }) => (event.text === null ? '' : context));
    const inPlace = redactedDeep(contexts, compiled);
    const written = placed.map(({ start, end }, index) => inPlace.value[index]?.slice(start, end) ?? '');
    const alone = redactedDeep(written, compiled);
    const shownEvents = placed.map(({ event }, index) => ({
      ...event,
      text: event.text === null ? null : (alone.value[index] ?? null),
    }));
    return shown({ data: shownEvents, page }, mergedHits([...inPlace.hits, ...alone.hits]));
  },
};

export const TOO_LONG = `A branch holds at most ${MAX_BRANCH_TEXT_LENGTH} code points.`;

interface Side {
  branch_id: string;
  at: StoredText;
}

interface EventsTask {
  /** The text before the first of the events; undefined when it is not known. */
  before: StoredText | undefined;
  events: BranchEvent[];
  page: Page;
  rules: Rule[];
}

function shown(answer: unknown, hits: PolicyHit[]): Shown {
  const isBlocked = decisionOf(hits) === 'block';
  return { json: isBlocked ? null : Buffer.from(JSON.stringify(answer)), hits };
}

function point({ branch_id, at }: Side): Comparison['from'] {
  return { branch_id, position: at.position, text_hash: at.recorded };
}

/** The most characters around an event's text that may form a word or phrase with it. */
export const NEAR = 2000;

/**
 * Returns each event with the text around it afterwards, and the range of the event's own text in it, so that a word
 * that was written in two events is found. When the stored text is damaged, an event has no context.
 */
function inContext(before: string | undefined, events: BranchEvent[]) {
  let text = before;
  return events.map((event) => {
    text = text === undefined ? undefined : textAfter(text, asEdit(event));
    const written = event.text ?? '';
    const at = text === undefined ? undefined : unitsOf(text, event.at ?? 0);
    if (text === undefined || at === undefined)
      return { event, context: written, start: 0, end: written.length };
    const from = Math.max(0, at - NEAR);
    const end = at + written.length;
    return { event, context: text.slice(from, end + NEAR), start: at - from, end: end - from };
  });
}
