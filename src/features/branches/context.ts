import type { BranchEvent } from '../../contract/branches.ts';
import { unitsOf } from './edit.ts';
import { asEdit, textAfter } from './text.ts';

/** What stands so near to what an event wrote that together they may be a word, or a few. */
export const NEAR = 2000;

/** What an event wrote, with what it wrote it into. */
export interface EventInContext {
  event: BranchEvent;
  context: string;
  /** Where in the context it stands. */
  start: number;
  end: number;
}

/**
 * Each event with what stands around it afterwards: a word that was written in two events is in neither of them. Where the
 * text is not known, because what is stored is damaged, an event stands alone.
 */
export function inContext(before: string | undefined, events: BranchEvent[]): EventInContext[] {
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
