/**
 * The characters that are processed at once. Cost is linear in the length of the text, and memory is bounded by a
 * chunk.
 */
const CHUNK_CHARACTERS = 20_000;
/** The tokeniser takes quadratic time for a run without white space: twelve seconds for a megabyte of hyphens. */
const LONG_RUN = /\S{100}/gu;

export interface Chunk {
  start: number;
  text: string;
}

/** Splits a text into chunks that end with a paragraph, a sentence or a word. */
export function* chunksOf(text: string, size = CHUNK_CHARACTERS): Generator<Chunk> {
  for (let start = 0; start < text.length; ) {
    const end = start + size >= text.length ? text.length : endOfChunk(text, start, start + size);
    yield { start, text: withShortRuns(text.slice(start, end)) };
    start = end;
  }
}

function endOfChunk(text: string, start: number, limit: number): number {
  const least = start + (limit - start) / 2;
  const piece = text.slice(start, limit);
  for (const boundary of ['\n', '. ', ' ']) {
    const at = start + piece.lastIndexOf(boundary) + boundary.length;
    if (at > least) return at;
  }
  // Never splits a surrogate pair.
  return /[\uD800-\uDBFF]/.test(text.charAt(limit - 1)) ? limit - 1 : limit;
}

/** Breaks long runs with blanks. The length stays the same. */
function withShortRuns(text: string): string {
  return text.replace(LONG_RUN, (run) => {
    const last = run.codePointAt(run.length - 2) ?? 0;
    const width = last > 0xffff ? 2 : 1;
    return run.slice(0, -width) + ' '.repeat(width);
  });
}
