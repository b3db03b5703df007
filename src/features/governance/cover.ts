import type { TextRange } from '../media/text/text-range.ts';
import type { Machine } from './pattern.ts';
import { isWordCharacter } from './pattern-syntax.ts';

/**
 * Returns everything that any match of a pattern covers. All matches are followed in parallel, one character after the
 * other; of those at the same step, the one that started first stands for all, since it covers what they cover.
 */
export function coverOf(machine: Machine, text: string): TextRange[] {
  const { steps, takes } = machine;
  const ranges: TextRange[] = [];
  // The active steps, and where the match at each started.
  let waiting: number[] = [];
  let begun = new Int32Array(steps.length);
  let next: number[] = [];
  let nextBegun = new Int32Array(steps.length);
  // The position at which a step was last entered. Each step is entered once per position.
  const entered = new Int32Array(steps.length).fill(-1);
  const pending: number[] = [];

  function enter(first: number, start: number, at: number, isEdge: boolean): void {
    pending.push(first);
    for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
      if (entered[index] === at) continue;
      entered[index] = at;
      const step = steps[index];
      if (step?.op === 'take') {
        next.push(index);
        nextBegun[index] = start;
      } else if (step?.op === 'fork') {
        pending.push(step.other, step.next);
      } else if (step?.op === 'edge' && isEdge) {
        pending.push(step.next);
      } else if (step?.op === 'done' && start < at) {
        add(ranges, start, at);
      }
    }
  }

  let wasWord = false;
  let previous = 0;
  for (let at = 0; ; ) {
    const character = text.codePointAt(at);
    const isWord = character !== undefined && isWordCharacter(character);
    const isEdge = wasWord !== isWord;
    // Active matches started earlier than a new one, so they go first.
    for (const index of waiting) {
      const step = steps[index];
      if (step?.op === 'take' && takes(index, previous)) enter(step.next, begun[index] ?? 0, at, isEdge);
    }
    if (character === undefined) return ranges;
    if (machine.beginsWith(character)) enter(machine.start, at, at, isEdge);
    [waiting, next] = [next, waiting];
    [begun, nextBegun] = [nextBegun, begun];
    next.length = 0;
    wasWord = isWord;
    previous = character;
    at += character > 0xffff ? 2 : 1;
  }
}

/** Adds a range. Ranges end in ascending order; touching ranges are merged. */
function add(ranges: TextRange[], start: number, end: number): void {
  let from = start;
  for (let last = ranges.at(-1); last && last.end >= from; last = ranges.at(-1)) {
    from = Math.min(from, last.start);
    ranges.pop();
  }
  ranges.push({ start: from, end });
}

/** Returns the union of ranges in any order. */
export function united(ranges: TextRange[]): TextRange[] {
  const result: TextRange[] = [];
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    const last = result.at(-1);
    if (last && last.end >= start) last.end = Math.max(last.end, end);
    else result.push({ start, end });
  }
  return result;
}
