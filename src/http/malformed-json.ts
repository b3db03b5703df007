import { isWellFormedText, MALFORMED_TEXT } from '../contract/wire.ts';

/** Schemas, redaction and serialisers recurse; this depth is safe for all of them. */
export const MAX_JSON_DEPTH = 64;

export interface Malformed {
  path: string[];
  message: string;
}

interface Level {
  /** The keys of an object; undefined for an array. */
  keys: string[] | undefined;
  values: unknown[];
  next: number;
}

/**
 * Returns the first problem of a JSON value: a key or value that is not well-formed text, the key `__proto__`, or too
 * many levels. It does not recurse, so a deep value cannot overflow the stack.
 */
export function findMalformed(root: unknown): Malformed | undefined {
  const levels: Level[] = [{ keys: undefined, values: [root], next: 0 }];
  // The first level is an artificial array around the root, which is not part of the path.
  const path = () => levels.slice(1).map(({ keys, next }) => keys?.[next - 1] ?? String(next - 1));
  for (let level = levels[0]; level; level = levels.at(-1)) {
    if (level.next === level.values.length) {
      levels.pop();
      continue;
    }
    const value = level.values[level.next];
    level.next += 1;
    if (typeof value === 'string') {
      if (!isWellFormedText(value)) return { path: path(), message: MALFORMED_TEXT };
    } else if (typeof value === 'object' && value !== null) {
      if (levels.length > MAX_JSON_DEPTH) {
        return { path: [], message: `must not be nested deeper than ${MAX_JSON_DEPTH} levels` };
      }
      const keys = Array.isArray(value) ? undefined : Object.keys(value);
      if (keys && !keys.every(isWellFormedText)) return { path: path(), message: MALFORMED_TEXT };
      if (keys?.includes('__proto__')) return { path: path(), message: 'must not have the key __proto__' };
      levels.push({ keys, values: Array.isArray(value) ? value : Object.values(value), next: 0 });
    }
  }
  return undefined;
}
