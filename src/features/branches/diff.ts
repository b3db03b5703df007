import diffSequencesModule from '@jest/diff-sequences';

// The types of the package describe its CommonJS build, where the function is a property of the default export.
const diffSequences = diffSequencesModule as unknown as typeof diffSequencesModule.default;

/** A range in which two lists differ. Between blocks they are equal. */
export interface Block {
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
export function differences(from: string[], to: string[], maxEdits = 2000): Block[] {
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
