import type { LayerName, LayerOutput } from '../../../contract/analysis.ts';
import type { Sentence } from '../sentences.ts';
import type { LocatedFinding } from '../text.ts';

/** Counts that every analysis has, whichever layers it runs. */
export interface TextFacts {
  characters: number;
  words: number;
  sentences: number;
  paragraphs: number;
  isEnglish: boolean;
}

/** The output of a layer, with ranges of the whole text. */
interface LayerResult extends Omit<LayerOutput, 'findings'> {
  findings: LocatedFinding[];
}

/** Reads the sentences of a text in order and returns the output. It stores counts, never the text. */
interface LayerReader {
  read(sentence: Sentence): void;
  finish(facts: TextFacts): LayerResult;
}

export interface Layer {
  name: LayerName;
  /** The confidence of its rules for an English text of sufficient length. */
  confidence: number;
  /** The share of that confidence for other languages. */
  inOtherLanguages: number;
  start(): LayerReader;
}

/** Rounds to this many decimals. */
export function rounded(value: number, decimals = 2): number {
  const factor = 10 ** decimals;
  return Number.isFinite(value) ? Math.round(value * factor) / factor : 0;
}

/** Returns the mean, rounded to three decimals. */
export function mean(values: readonly number[]): number {
  const sum = values.reduce((total, value) => total + value, 0);
  return share(sum, values.length);
}

export function share(part: number, whole: number): number {
  return whole === 0 ? 0 : rounded(part / whole, 3);
}

/** Returns “1 question” or “3 questions”. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`;
}

/** Returns “a, b and c”. */
export function listed(parts: readonly string[]): string {
  return parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}
