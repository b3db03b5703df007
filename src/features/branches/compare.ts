import type { Comparison } from '../../contract/branches.ts';
import { type Block, differences } from './diff.ts';

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
    lines_removed: sum(blocks, ({ fromStart, fromEnd }) => fromEnd - fromStart),
    lines_added: sum(blocks, ({ toStart, toEnd }) => toEnd - toStart),
    changes: blocks.map((block) => describe(block, before, after)),
    unified: unified(blocks, before, after),
  };
}

function sum(blocks: Block[], count: (block: Block) => number): number {
  return blocks.reduce((total, block) => total + count(block), 0);
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

/**
 * Splits text into words, runs of white space, and other characters one by one. Bounded, because a run of millions
 * would exhaust the stack of the regular expression.
 */
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
