import { LAYERS, type LayerName, type LayerOutput } from '../../contract/analysis.ts';
import { countWords } from '../media/extractors/words.ts';
import { discourse } from './layers/discourse.ts';
import { type Layer, rounded, type TextFacts } from './layers/layer.ts';
import { morphology } from './layers/morphology.ts';
import { pragmatics } from './layers/pragmatics.ts';
import { rhetoric } from './layers/rhetoric.ts';
import { semantics } from './layers/semantics.ts';
import { semiotic } from './layers/semiotic.ts';
import { sociolinguistics } from './layers/sociolinguistics.ts';
import { syntax } from './layers/syntax.ts';
import { token } from './layers/token.ts';
import { type Sentence, sentencesOf } from './sentences.ts';
import { type DocumentText, toFinding } from './text.ts';

/** The output of the deterministic rules for one layer, and its confidence. */
export interface Baseline {
  output: LayerOutput;
  confidence: number;
}

export interface TextAnalysis {
  language: string;
  word_count: number;
  baselines: Partial<Record<LayerName, Baseline>>;
}

const BY_NAME: Record<LayerName, Layer> = {
  token,
  morphology,
  syntax,
  semantics,
  pragmatics,
  discourse,
  sociolinguistics,
  rhetoric,
  semiotic,
};

/** Below this, counts are too small for full confidence. */
const WORDS_FOR_FULL_CONFIDENCE = 50;

/** Runs layers over a text in one pass. The same text gives the same bytes. */
export function runLayers(document: DocumentText, names: readonly LayerName[]): TextAnalysis {
  const chosen = LAYERS.filter((name) => names.includes(name)).map((name) => BY_NAME[name]);
  const layers = chosen.map((layer) => ({ layer, reader: layer.start() }));
  const english = createEnglishMeter();
  const { length: characters } = document.text;
  const facts: TextFacts = { characters, words: 0, sentences: 0, paragraphs: 0, isEnglish: false };
  let lastParagraph = -1;
  for (const sentence of sentencesOf(document.text)) {
    if (sentence.words.length > 0) {
      for (const { text } of sentence.words) facts.words += wordsIn(text);
      facts.sentences += 1;
      if (sentence.paragraph !== lastParagraph) facts.paragraphs += 1;
      lastParagraph = sentence.paragraph;
    }
    english.read(sentence);
    for (const { reader } of layers) reader.read(sentence);
  }
  const known = english.share();
  facts.isEnglish = facts.words > 0 && known >= 0.5;
  const length = Math.min(1, facts.words / WORDS_FOR_FULL_CONFIDENCE);
  const baselines = layers.map(({ layer, reader }): [LayerName, Baseline] => {
    const { findings, ...result } = reader.finish(facts);
    const output = { ...result, findings: findings.map((finding) => toFinding(document, finding)) };
    const trust = known + (1 - known) * layer.inOtherLanguages;
    const isEmpty = facts.words === 0 && output.findings.length === 0;
    const confidence = isEmpty ? 0 : rounded(layer.confidence * trust * (0.5 + length / 2), 3);
    return [layer.name, { output, confidence }];
  });
  return {
    language: facts.isEnglish ? 'en' : 'und',
    word_count: facts.words,
    baselines: Object.fromEntries(baselines),
  };
}

/** Counts the words of a run of letters: one, except in scripts without spaces between words. */
function wordsIn(run: string): number {
  return run.charCodeAt(0) < FIRST_UNSPACED ? 1 : Math.max(1, countWords(run));
}

/** Thai is the first such script in Unicode. */
const FIRST_UNSPACED = 0x0e00;

/** A third to a half of the words of an English text are among these; in other languages a tenth at most. */
const FUNCTION_WORDS = new Set(
  (
    'the be is are was were been am to of and a an in that have has had it for not on with he she as you do did at this ' +
    'but his her by from they we say or will my one all would there their what so up out if about who get which go me ' +
    'when make can like no him just them your than then its our these those over because could should i us how where ' +
    "why n't 's very into more some only other"
  ).split(' '),
);
const [NONE, ALL] = [0.15, 0.3];

/** Measures how much of a text is English: from 0 to 1. */
function createEnglishMeter() {
  let [words, known] = [0, 0];
  return {
    read(sentence: Sentence): void {
      words += sentence.words.length;
      for (const { normal } of sentence.words) if (FUNCTION_WORDS.has(normal)) known += 1;
    },
    share(): number {
      if (words === 0) return 0;
      return Math.min(1, Math.max(0, (known / words - NONE) / (ALL - NONE)));
    },
  };
}
