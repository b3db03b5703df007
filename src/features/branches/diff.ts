/** A block of differences of two lists. Between the blocks they are equal. */
export interface Block {
  fromStart: number;
  fromEnd: number;
  toStart: number;
  toEnd: number;
}

/**
 * Finds the fewest insertions and deletions that turn one list into the other (Myers 1986). With more than `mostEdits`,
 * everything between the common prefix and the common suffix is one block: time and memory grow with the square of the
 * edits, and nobody would read such a diff line by line.
 */
export function differences(from: string[], to: string[], mostEdits = 2000): Block[] {
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
  const trail = shortestTrail(left, right, mostEdits);
  if (!trail) return [{ fromStart: start, fromEnd, toStart: start, toEnd }];
  return blocksOf(trail, fromEnd - start, toEnd - start).map((block) => ({
    fromStart: block.fromStart + start,
    fromEnd: block.fromEnd + start,
    toStart: block.toStart + start,
    toEnd: block.toEnd + start,
  }));
}

/** Numbers the different texts. They are compared many times, and long, nearly equal texts are slow to compare. */
function createNumbering(): (text: string) => number {
  const numbers = new Map<string, number>();
  return (text) => {
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return number;
  };
}

/** For each number of edits, how far along `from` every diagonal reaches. Diagonal k is at index k + edits. */
function shortestTrail(from: number[], to: number[], mostEdits: number): Int32Array[] | undefined {
  const trail: Int32Array[] = [];
  let last = new Int32Array(1);
  for (let edits = 0; edits <= Math.min(mostEdits, from.length + to.length); edits++) {
    const reached = new Int32Array(2 * edits + 1);
    for (let k = -edits; k <= edits; k += 2) {
      let x = edits === 0 ? 0 : isDown(last, k, edits) ? at(last, k + 1, edits) : at(last, k - 1, edits) + 1;
      while (x < from.length && x - k < to.length && from[x] === to[x - k]) x++;
      reached[k + edits] = x;
      if (x >= from.length && x - k >= to.length) return [...trail, reached];
    }
    trail.push(reached);
    last = reached;
  }
  return undefined;
}

/** How far diagonal k reached with one edit less. */
function at(last: Int32Array, k: number, edits: number): number {
  return last[k + edits - 1] ?? -1;
}

/** Whether the last edit on this diagonal was an insertion. */
function isDown(last: Int32Array, k: number, edits: number): boolean {
  return k === -edits || (k !== edits && at(last, k - 1, edits) < at(last, k + 1, edits));
}

/** Walks back from the end of both lists and joins adjacent edits to blocks. */
function blocksOf(trail: Int32Array[], fromLength: number, toLength: number): Block[] {
  const blocks: Block[] = [];
  let [x, y] = [fromLength, toLength];
  for (let edits = trail.length - 1; edits > 0; edits--) {
    const last = trail[edits - 1] as Int32Array;
    const k = x - y;
    const down = isDown(last, k, edits);
    const fromX = at(last, down ? k + 1 : k - 1, edits);
    const fromY = fromX - (down ? k + 1 : k - 1);
    const block = {
      fromStart: fromX,
      fromEnd: down ? fromX : fromX + 1,
      toStart: fromY,
      toEnd: down ? fromY + 1 : fromY,
    };
    const next = blocks[0];
    if (next && next.fromStart === block.fromEnd && next.toStart === block.toEnd) {
      blocks[0] = { ...next, fromStart: block.fromStart, toStart: block.toStart };
    } else {
      blocks.unshift(block);
    }
    [x, y] = [fromX, fromY];
  }
  return blocks;
}
