import type { BranchEvent } from '../../contract/branches.ts';
import { unitsOf } from './edit.ts';
import { asEdit, textAfter } from './text.ts';

/** The most characters around an event's text that may form a word or phrase with it. */
export const NEAR = 2000;

/** The text that an event wrote, with the text around it. */
export interface EventInContext {
  event: BranchEvent;
  context: string;
  /** The offset of the event's text in the context. */
  start: number;
  end: number;
}

/**
 * Returns each event with the text around it afterwards, so that a word that was written in two events is found. When
 * the stored text is damaged, an event has no context.
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
