import { createHash } from 'node:crypto';
import type { Edit } from '../../contract/branches.ts';
import { normalForm } from '../../contract/normal-form.ts';

/** Thrown when an edit reaches beyond the end of the text. */
export class EditOutOfRange extends Error {
  constructor(end: number, length: number) {
    super(`it reaches to ${end}, and the text has ${length} code points`);
    this.name = 'EditOutOfRange';
  }
}

/** Returns the text after an edit. It depends on the two alone, so it can be replayed. */
export function applyEdit(text: string, edit: Edit): string {
  if (edit.kind === 'normalize') return normalForm(text, edit.form);
  const removed = edit.kind === 'insert' ? 0 : edit.length;
  const start = unitsOf(text, edit.at);
  const end = start === undefined ? undefined : unitsOf(text, removed, start);
  if (start === undefined || end === undefined) {
    throw new EditOutOfRange(edit.at + removed, countCodePoints(text));
  }
  return text.slice(0, start) + (edit.kind === 'delete' ? '' : edit.text) + text.slice(end);
}

/**
 * Returns the string index after the given number of code points from `start`; undefined when there are not as many.
 * Offsets count code points, because every language and PostgreSQL can count them, and because they never split a
 * surrogate pair.
 */
export function unitsOf(text: string, codePoints: number, start = 0): number | undefined {
  let unit = start;
  for (let left = codePoints; left > 0; left--) {
    if (unit >= text.length) return undefined;
    unit += isPair(text, unit) ? 2 : 1;
  }
  return unit;
}

/** The length of the text after the edit, when it need not be counted again. */
export function lengthAfter(length: number, edit: Edit, text: string): number {
  if (edit.kind === 'normalize') return countCodePoints(text);
  const removed = edit.kind === 'insert' ? 0 : edit.length;
  return length - removed + (edit.kind === 'delete' ? 0 : countCodePoints(edit.text));
}

function isPair(text: string, unit: number): boolean {
  return (text.charCodeAt(unit) & 0xfc00) === 0xd800 && (text.charCodeAt(unit + 1) & 0xfc00) === 0xdc00;
}

export function countCodePoints(text: string): number {
  let count = text.length;
  for (let unit = 0; unit < text.length; unit++) {
    if (!isPair(text, unit)) continue;
    count -= 1;
    unit += 1;
  }
  return count;
}

/** Returns the SHA-256 of the text in UTF-8. */
export function textHash(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
