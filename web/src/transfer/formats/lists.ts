import { textsOf } from './entry.ts';

/** The parts of a text, without the empty ones. */
export const split = (text: string, separator: string) =>
  text
    .split(separator)
    .map((part) => part.trim())
    .filter(Boolean);

const QUOTED = /'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/g;

/** Parses a list in JSON, in Python's syntax, or without quotes. */
export function parseList(text: string): string[] {
  try {
    return textsOf(JSON.parse(text));
  } catch {
    const quoted = text.startsWith('[') ? [...text.matchAll(QUOTED)] : [];
    if (quoted.length === 0) return split(text.replace(/^\[|\]$/g, ''), ',');
    return textsOf(quoted.map(([, single, double]) => (single ?? double ?? '').replace(/\\(.)/g, '$1')));
  }
}
