import { isWellFormedText, MALFORMED_TEXT } from '../contract/wire.ts';

/** Schemas, redaction and serialisers recurse; this many levels are safe for all of them. */
export const DEEPEST_JSON = 64;

export interface Malformed {
  path: string[];
  message: string;
}

interface Level {
  /** The keys of an object; undefined for a list. */
  keys: string[] | undefined;
  values: unknown[];
  next: number;
}

/**
 * The first place of a JSON value that Nexus does not take: text that is not well-formed, in a key or a value, a key that
 * names the prototype, or one level too many. It does not recurse, so the depth of the value cannot harm it.
 */
export function findMalformed(root: unknown): Malformed | undefined {
  const levels: Level[] = [{ keys: undefined, values: [root], next: 0 }];
  // The root stands in a list of its own, which is not part of the path.
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
      if (levels.length > DEEPEST_JSON) {
        return { path: [], message: `is nested deeper than ${DEEPEST_JSON} levels` };
      }
      const keys = Array.isArray(value) ? undefined : Object.keys(value);
      if (keys && !keys.every(isWellFormedText)) return { path: path(), message: MALFORMED_TEXT };
      if (keys?.includes('__proto__')) return { path: path(), message: 'must not have the key __proto__' };
      levels.push({ keys, values: Array.isArray(value) ? value : Object.values(value), next: 0 });
    }
  }
  return undefined;
}
