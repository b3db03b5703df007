import diffSequencesModule from '@jest/diff-sequences';
import type { Comparison } from '../../contract/branches.ts';

// The types of the package describe its CommonJS build, where the function is a property of the default export.
const diffSequences = diffSequencesModule as unknown as typeof diffSequencesModule.default;

type Change = Comparison['changes'][number];
type Part = Change['parts'][number];
type Compared = Pick<Comparison, 'is_equal' | 'lines_removed' | 'lines_added' | 'changes' | 'unified'>;

const CONTEXT_LINES = 3;
/** A change with more words than this is shown as removed and added lines. */
const MOST_WORD_EDITS = 500;

/** Compares two texts line by line, and word by word within the lines that changed. */
export function compareTexts(from: string, to: string): Compared {
  const [before, after] = [from.split('\n'), to.split('\n')];
  const blocks = differences(before, after);
  return {
    is_equal: from === to,
    lines_removed: blocks.reduce((sum, { fromStart, fromEnd }) => sum + fromEnd - fromStart, 0),
    lines_added: blocks.reduce((sum, { toStart, toEnd }) => sum + toEnd - toStart, 0),
    changes: blocks.map((block) => describe(block, before, after)),
    unified: unified(blocks, before, after),
  };
}

function describe({ fromStart, fromEnd, toStart, toEnd }: Block, before: string[], after: string[]): Change {
  return {
    from_line: fromStart + 1,
    from_count: fromEnd - fromStart,
    to_line: toStart + 1,
    to_count: toEnd - toStart,
    parts: byWords(before.slice(fromStart, fromEnd).join('\n'), after.slice(toStart, toEnd).join('\n')),
  };
}

function byWords(removed: string, added: string): Part[] {
  const [from, to] = [words(removed), words(added)];
  const parts: Part[] = [];
  let done = 0;
  for (const { fromStart, fromEnd, toStart, toEnd } of differences(from, to, MOST_WORD_EDITS)) {
    parts.push(
      { kind: 'same', text: from.slice(done, fromStart).join('') },
      { kind: 'removed', text: from.slice(fromStart, fromEnd).join('') },
      { kind: 'added', text: to.slice(toStart, toEnd).join('') },
    );
    done = fromEnd;
  }
  parts.push({ kind: 'same', text: from.slice(done).join('') });
  return parts.filter(({ text }) => text !== '');
}

/** Splits text into words, white space and other characters. Bounded: longer runs would exhaust the stack. */
function words(text: string): string[] {
  return text.match(/\s{1,10000}|[\p{L}\p{N}\p{M}]{1,10000}|[^\s\p{L}\p{N}\p{M}]/gu) ?? [];
}

/** Writes a unified diff: changes that are near each other share their context. */
function unified(blocks: Block[], before: string[], after: string[]): string {
  const hunks: Block[][] = [];
  for (const block of blocks) {
    const hunk = hunks.at(-1);
    const last = hunk?.at(-1);
    if (hunk && last && block.fromStart - last.fromEnd <= 2 * CONTEXT_LINES) hunk.push(block);
    else hunks.push([block]);
  }
  return hunks.map((hunk) => `${writeHunk(hunk, before, after)}\n`).join('');
}

function writeHunk(blocks: Block[], before: string[], after: string[]): string {
  const [first, last] = [blocks[0] as Block, blocks.at(-1) as Block];
  const lead = Math.min(CONTEXT_LINES, first.fromStart);
  const tail = Math.min(CONTEXT_LINES, before.length - last.fromEnd);
  const lines: string[] = [];
  let next = first.fromStart - lead;
  const write = (sign: string, from: string[]) => {
    for (const line of from) lines.push(sign + line);
  };
  for (const { fromStart, fromEnd, toStart, toEnd } of blocks) {
    write(' ', before.slice(next, fromStart));
    write('-', before.slice(fromStart, fromEnd));
    write('+', after.slice(toStart, toEnd));
    next = fromEnd;
  }
  write(' ', before.slice(next, last.fromEnd + tail));
  const fromCount = last.fromEnd + tail - (first.fromStart - lead);
  const toCount = last.toEnd + tail - (first.toStart - lead);
  const range = (start: number, count: number) => `${count === 0 ? start : start + 1},${count}`;
  const header = `@@ -${range(first.fromStart - lead, fromCount)} +${range(first.toStart - lead, toCount)} @@`;
  return [header, ...lines].join('\n');
}

/** A range in which two lists differ. Between blocks they are equal. */
interface Block {
  fromStart: number;
  fromEnd: number;
  toStart: number;
  toEnd: number;
}

class TooDifferent extends Error {}

/**
 * Finds the fewest insertions and deletions that turn one list into the other. Their number is bounded, because time grows
 * with its square: about `maxEdits`² comparisons are made. Beyond that, everything between the common start and the common
 * end is one block.
 */
function differences(from: string[], to: string[], maxEdits = 2000): Block[] {
  let start = 0;
  while (start < from.length && start < to.length && from[start] === to[start]) start++;
  let [fromEnd, toEnd] = [from.length, to.length];
  while (fromEnd > start && toEnd > start && from[fromEnd - 1] === to[toEnd - 1]) {
    fromEnd--;
    toEnd--;
  }
  if (start === fromEnd && start === toEnd) return [];
  const number = createNumbering();
  const [left, right] = [from.slice(start, fromEnd).map(number), to.slice(start, toEnd).map(number)];
  const blocks: Block[] = [];
  let [fromAt, toAt] = [start, start];
  const addBlock = (block: Block) => {
    if (block.fromStart < block.fromEnd || block.toStart < block.toEnd) blocks.push(block);
  };
  let comparisonsLeft = left.length + right.length + maxEdits ** 2;
  try {
    diffSequences(
      left.length,
      right.length,
      (a, b) => {
        if (comparisonsLeft-- === 0) throw new TooDifferent();
        return left[a] === right[b];
      },
      (count, a, b) => {
        addBlock({ fromStart: fromAt, fromEnd: start + a, toStart: toAt, toEnd: start + b });
        [fromAt, toAt] = [start + a + count, start + b + count];
      },
    );
  } catch (error) {
    if (!(error instanceof TooDifferent)) throw error;
    return [{ fromStart: start, fromEnd, toStart: start, toEnd }];
  }
  addBlock({ fromStart: fromAt, fromEnd, toStart: toAt, toEnd });
  return blocks;
}

/** Numbers equal texts equally: comparing numbers is fast, comparing long texts that are nearly equal is slow. */
function createNumbering(): (text: string) => number {
  const numbers = new Map<string, number>();
  return (text) => {
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return number;
  };
}
