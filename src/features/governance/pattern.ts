import { type Fits, type Node, PatternError, parsePattern } from './pattern-syntax.ts';

/** A step of the machine: match a character, branch, assert a word boundary, or accept. */
type Step =
  | { op: 'take'; fits: Fits; next: number }
  | { op: 'fork'; next: number; other: number }
  | { op: 'edge'; next: number }
  | { op: 'done' };

export interface Machine {
  steps: Step[];
  start: number;
  /** Whether the step matches the character. */
  takes(step: number, character: number): boolean;
  /** Whether a match can start with the character. */
  beginsWith(character: number): boolean;
}

/** The most steps of a pattern. Repetition copies steps; this bounds patterns like `((a{99}){99}){99}`. */
export const MOST_STEPS = 500;

/**
 * Compiles a pattern to a machine whose work is bounded by the length of the text times the length of the pattern.
 * Admins write patterns and strangers write texts: without backtracking, no combination can make it hang.
 */
export function compilePattern(pattern: string): Machine {
  const node = parsePattern(pattern);
  if (matchesNothing(node)) throw new PatternError('it matches the empty text');
  const steps: Step[] = [{ op: 'done' }];
  const start = createWriter(steps)(node, 0);
  const takes = createTables(steps);
  const first = reachable(steps, start);
  const begins = new Uint8Array(ASCII);
  for (let character = 0; character < ASCII; character++)
    begins[character] = first.some((step) => takes(step, character)) ? 1 : 0;
  return {
    steps,
    start,
    takes,
    beginsWith: (character) =>
      character < ASCII ? begins[character] === 1 : first.some((step) => takes(step, character)),
  };
}

const ASCII = 128;

/** Common characters are looked up in a table instead of tested against each step. */
function createTables(steps: readonly Step[]): Machine['takes'] {
  const known = new Map<Fits, Uint8Array>();
  const tables = steps.map((step) => {
    if (step.op !== 'take') return undefined;
    const table =
      known.get(step.fits) ?? Uint8Array.from({ length: ASCII }, (_, c) => (step.fits(c) ? 1 : 0));
    known.set(step.fits, table);
    return table;
  });
  return (index, character) => {
    if (character < ASCII) return tables[index]?.[character] === 1;
    const step = steps[index];
    return step?.op === 'take' && step.fits(character);
  };
}

/** Returns the steps that match the first character. */
function reachable(steps: readonly Step[], start: number): number[] {
  const seen = new Set<number>();
  const pending = [start];
  for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
    const step = steps[index];
    if (!step || seen.has(index)) continue;
    seen.add(index);
    if (step.op === 'fork') pending.push(step.other);
    if (step.op === 'fork' || step.op === 'edge') pending.push(step.next);
  }
  return [...seen].filter((index) => steps[index]?.op === 'take');
}

function matchesNothing(node: Node): boolean {
  switch (node.kind) {
    case 'take':
      return false;
    case 'sequence':
      return node.parts.every(matchesNothing);
    case 'either':
      return node.options.some(matchesNothing);
    case 'repeat':
      return node.least === 0 || matchesNothing(node.part);
    default:
      return true;
  }
}

/** Returns a function that writes the steps of a node that continues at `next`, last ones first; it returns the first. */
function createWriter(steps: Step[]) {
  const add = (step: Step) => {
    if (steps.length >= MOST_STEPS)
      throw new PatternError('it is too long once its repetitions are expanded');
    return steps.push(step) - 1;
  };

  function write(node: Node, next: number): number {
    switch (node.kind) {
      case 'empty':
        return next;
      case 'edge':
        return add({ op: 'edge', next });
      case 'take':
        return add({ op: 'take', fits: node.fits, next });
      case 'sequence':
        return node.parts.reduceRight((after, part) => write(part, after), next);
      case 'either': {
        const firsts = node.options.map((option) => write(option, next));
        return firsts.reduce((other, first) => add({ op: 'fork', next: first, other }));
      }
      case 'repeat':
        return writeRepeat(node, next);
    }
  }

  function writeRepeat({ part, least, most }: Extract<Node, { kind: 'repeat' }>, next: number): number {
    let after = next;
    if (most === Number.POSITIVE_INFINITY) {
      const loop = { op: 'fork' as const, next: 0, other: next };
      after = add(loop);
      loop.next = write(part, after);
    } else {
      for (let optional = least; optional < most; optional++)
        after = add({ op: 'fork', next: write(part, after), other: next });
    }
    for (let copy = 0; copy < least; copy++) after = write(part, after);
    return after;
  }

  return write;
}
