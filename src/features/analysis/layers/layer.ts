import type { LayerName, LayerOutput } from '../../../contract/analysis.ts';
import type { Sentence } from '../sentences.ts';
import type { LocatedFinding } from '../text.ts';

/** What is counted for every text, whichever layers are asked for. */
export interface TextFacts {
  characters: number;
  words: number;
  sentences: number;
  paragraphs: number;
  isEnglish: boolean;
}

/** What a layer has found, with ranges in the whole text. */
export interface LayerResult extends Omit<LayerOutput, 'findings'> {
  findings: LocatedFinding[];
}

/** Reads the sentences of a text in order, and then says what they come to. It keeps counts, never the text. */
export interface LayerReader {
  read(sentence: Sentence): void;
  finish(facts: TextFacts): LayerResult;
}

export interface Layer {
  name: LayerName;
  /** How far its rules can be trusted on an English text of some length. */
  confidence: number;
  /** Which share of that is left in a language that the rules do not know. */
  inOtherLanguages: number;
  start(): LayerReader;
}

/** To so many decimals: what lies beyond says nothing to a reader. */
export function rounded(value: number, decimals = 2): number {
  const factor = 10 ** decimals;
  return Number.isFinite(value) ? Math.round(value * factor) / factor : 0;
}

export function share(part: number, whole: number): number {
  return whole === 0 ? 0 : rounded(part / whole, 3);
}

/** “1 question”, “3 questions”. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`;
}

/** “a, b and c”. */
export function listed(parts: readonly string[]): string {
  return parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}
