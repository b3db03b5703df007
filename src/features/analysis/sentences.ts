import model from 'wink-eng-lite-web-model';
import winkNlp, { type ItemSentence, type PartOfSpeech, type WinkMethods } from 'wink-nlp';
import type { TextRange } from '../media/text/text-range.ts';

export interface Token extends TextRange {
  text: string;
  /** The lower-case form. */
  normal: string;
  lemma: string;
  pos: PartOfSpeech;
  isWord: boolean;
  /** Whether it is a function word, such as `the`, `of` or `is`. */
  isStopWord: boolean;
  isNegated: boolean;
}

/** An entity that is recognised by its form: a date, an amount, an address. */
export interface Entity extends TextRange {
  text: string;
  type: string;
}

export interface Sentence extends TextRange {
  tokens: Token[];
  /** The tokens that are words. */
  words: Token[];
  entities: Entity[];
  /** From -1 to 1. */
  sentiment: number;
  /** The index of the paragraph in the whole text, from 0. */
  paragraph: number;
}

/** Token types of words that the model knows, and of unknown ones, mostly in other scripts. */
const WORD_TYPES = new Set(['word', 'unk']);

/** The model remembers every word, in a table with room for a million. */
const TOKENS_BEFORE_RENEWAL = 300_000;

let engine: { nlp: WinkMethods; tokens: number } | undefined;

function readyEngine(): { nlp: WinkMethods; tokens: number } {
  if (!engine || engine.tokens > TOKENS_BEFORE_RENEWAL) engine = { nlp: winkNlp(model), tokens: 0 };
  return engine;
}

/** Yields the sentences of a text. Only one chunk is in memory at a time. */
export function* sentencesOf(text: string): Generator<Sentence> {
  let paragraph = 0;
  for (const chunk of chunksOf(text)) {
    let seen = 0;
    for (const sentence of readChunk(chunk)) {
      paragraph += lineEnds(chunk.text, seen, sentence.start - chunk.start);
      seen = sentence.start - chunk.start;
      yield { ...sentence, paragraph };
    }
    paragraph += lineEnds(chunk.text, seen, chunk.text.length);
  }
}

function lineEnds(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', start); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

function readChunk({ start, text }: Chunk): Omit<Sentence, 'paragraph'>[] {
  const current = readyEngine();
  const { its } = current.nlp;
  const document = current.nlp.readDoc(text);
  const all = tokensOf(document, its, text, start);
  current.tokens += all.length;
  const entities = entitiesOf(document, its, all, { text, start });
  const sentences: Omit<Sentence, 'paragraph'>[] = [];
  document.sentences().each((sentence: ItemSentence) => {
    const [first, last] = sentence.out(its.span) as unknown as [number, number];
    const tokens = all.slice(first, last + 1).filter(({ pos }) => pos !== 'SPACE');
    const [head, tail] = [tokens[0], tokens.at(-1)];
    if (!head || !tail) return;
    sentences.push({
      start: head.start,
      end: tail.end,
      tokens,
      words: tokens.filter(({ isWord }) => isWord),
      entities: entities.filter((entity) => entity.start >= head.start && entity.end <= tail.end),
      sentiment: sentence.out(its.sentiment) as unknown as number,
    });
  });
  return sentences;
}

type WinkDocument = ReturnType<WinkMethods['readDoc']>;

function tokensOf(document: WinkDocument, its: WinkMethods['its'], text: string, start: number): Token[] {
  const tokens = document.tokens();
  const columns = {
    spaces: tokens.out(its.precedingSpaces) as string[],
    normal: tokens.out(its.normal) as string[],
    // The types lack this overload.
    lemma: tokens.out(its.lemma as typeof its.value) as string[],
    pos: tokens.out(its.pos) as PartOfSpeech[],
    type: tokens.out(its.type) as string[],
    isStopWord: tokens.out(its.stopWordFlag) as unknown as boolean[],
    isNegated: tokens.out(its.negationFlag) as unknown as boolean[],
  };
  let at = 0;
  return (tokens.out(its.value) as string[]).map((value, index) => {
    const expected = at + (columns.spaces[index] ?? '').length;
    // The tokeniser should return the text unchanged; if it does not, the token is searched in the text.
    const begin = text.startsWith(value, expected) ? expected : Math.max(text.indexOf(value, at), at);
    at = Math.min(begin + value.length, text.length);
    const normal = value.toLowerCase().replace('’', "'");
    const [respelled, lemma] = [columns.normal[index] ?? normal, columns.lemma[index] ?? normal];
    return {
      text: value,
      normal,
      lemma: inItsSpelling(normal, respelled, lemma.toLowerCase()),
      pos: columns.pos[index] ?? 'X',
      isWord: WORD_TYPES.has(columns.type[index] ?? '') && /\p{L}/u.test(value),
      isStopWord: columns.isStopWord[index] ?? false,
      isNegated: columns.isNegated[index] ?? false,
      start: start + begin,
      end: start + at,
    };
  });
}

/** The model uses American spelling; `harbours` still has the lemma `harbour`. */
function inItsSpelling(normal: string, respelled: string, lemma: string): string {
  if (respelled === normal || !respelled.startsWith(lemma) || normal.includes("'")) return lemma;
  const stem = normal.slice(0, normal.length - (respelled.length - lemma.length));
  return stem.endsWith('ll') ? lemma : stem;
}

function entitiesOf(
  document: WinkDocument,
  its: WinkMethods['its'],
  tokens: Token[],
  { text, start }: Chunk,
): Entity[] {
  const spans = document.entities().out(its.span) as unknown as [number, number][];
  const types = document.entities().out(its.type) as string[];
  return spans.flatMap(([first, last], index) => {
    const [head, tail] = [tokens[first], tokens[last]];
    if (!head || !tail) return [];
    const range = { start: head.start, end: tail.end };
    return { ...range, text: text.slice(range.start - start, range.end - start), type: types[index] ?? '' };
  });
}

/** The characters that are processed at once, which bounds the memory. */
const CHUNK_CHARACTERS = 20_000;
/** The tokeniser takes quadratic time for a run without white space: twelve seconds for a megabyte of hyphens. */
const LONG_RUN = /\S{100}/gu;

interface Chunk {
  start: number;
  text: string;
}

/** Splits a text into chunks that end with a paragraph, a sentence or a word. */
function* chunksOf(text: string): Generator<Chunk> {
  for (let start = 0; start < text.length; ) {
    const limit = start + CHUNK_CHARACTERS;
    const end = limit >= text.length ? text.length : endOfChunk(text, start, limit);
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
