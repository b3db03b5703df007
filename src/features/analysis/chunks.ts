/**
 * Characters that are read at once. The cost of a word is the same from one chunk to the next, so a text costs what its
 * words cost, and no more memory than a chunk is in use.
 */
const CHUNK_CHARACTERS = 20_000;
/** The tokeniser takes the square of this for a run without white space: twelve seconds for a megabyte of hyphens. */
const LONG_RUN = /\S{100}/gu;

export interface Chunk {
  start: number;
  text: string;
}

/** A text in pieces that end with a paragraph, or a sentence, or a word, whichever comes last in time. */
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
  // Never between the halves of a character.
  return /[\uD800-\uDBFF]/.test(text.charAt(limit - 1)) ? limit - 1 : limit;
}

/** The same text, as long as before, with blanks in runs that would take too long. */
function withShortRuns(text: string): string {
  return text.replace(LONG_RUN, (run) => {
    const last = run.codePointAt(run.length - 2) ?? 0;
    const width = last > 0xffff ? 2 : 1;
    return run.slice(0, -width) + ' '.repeat(width);
  });
}
