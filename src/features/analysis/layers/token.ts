import type { Token } from '../sentences.ts';
import { createFindings } from './findings.ts';
import { counted, type Layer, rounded } from './layer.ts';

const WORDS_PER_MINUTE = 220;
/** The length of the stretches that variety is measured on, because it falls with length. */
const STRETCH = 100;

const LEVELS: [number, string][] = [
  [90, 'very easy'],
  [70, 'easy'],
  [60, 'plain'],
  [50, 'fairly difficult'],
  [30, 'difficult'],
  [Number.NEGATIVE_INFINITY, 'very difficult'],
];

/** Words: number, length, variety and readability. */
export const token: Layer = {
  name: 'token',
  confidence: 0.95,
  inOtherLanguages: 0.8,
  start() {
    const findings = createFindings();
    const variety = createVariety();
    let [letters, syllables, longest] = [0, 0, 0];
    return {
      read({ words }) {
        longest = Math.max(longest, words.length);
        for (const word of words) {
          letters += word.text.length;
          syllables += syllablesOf(word.normal);
          variety.add(word.normal);
          if (isTelling(word)) findings.add('frequent_word', word.lemma, word);
        }
      },
      finish({ characters, words, sentences, paragraphs, isEnglish }) {
        const perSentence = sentences === 0 ? 0 : words / sentences;
        const perWord = words === 0 ? 0 : syllables / words;
        const ease = words === 0 ? 0 : 206.835 - 1.015 * perSentence - 84.6 * perWord;
        const grade = words === 0 ? 0 : 0.39 * perSentence + 11.8 * perWord - 15.59;
        const level = isEnglish ? (LEVELS.find(([least]) => ease >= least)?.[1] ?? '') : 'unknown';
        const minutes = Math.ceil(words / WORDS_PER_MINUTE);
        return {
          summary:
            words === 0
              ? 'There are no words to read.'
              : `${counted(words, 'word')} in ${counted(sentences, 'sentence')}, about ${counted(minutes, 'minute')} to read${isEnglish ? `; ${level}` : ''}.`,
          measures: {
            characters,
            words,
            sentences,
            paragraphs,
            letters_per_word: rounded(words === 0 ? 0 : letters / words),
            words_per_sentence: rounded(perSentence),
            longest_sentence_words: longest,
            lexical_variety: variety.value(),
            reading_minutes: minutes,
            reading_level: level,
            // Readability formulas apply to English only.
            ...(isEnglish && { reading_ease: rounded(ease, 1), grade_level: rounded(Math.max(0, grade), 1) }),
          },
          findings: findings.list({ least: 2, most: 30 }),
        };
      },
    };
  },
};

function isTelling({ isStopWord, normal, pos }: Token): boolean {
  return !isStopWord && normal.length > 2 && pos !== 'AUX' && pos !== 'PRON';
}

/** The share of distinct words, as the mean over stretches of equal length. */
function createVariety() {
  let stretch = new Set<string>();
  let [inStretch, sum, stretches] = [0, 0, 0];
  return {
    add(word: string) {
      stretch.add(word);
      inStretch += 1;
      if (inStretch < STRETCH) return;
      sum += stretch.size / inStretch;
      stretches += 1;
      [stretch, inStretch] = [new Set(), 0];
    },
    value(): number {
      if (stretches > 0) return rounded(sum / stretches, 3);
      return inStretch === 0 ? 0 : rounded(stretch.size / inStretch, 3);
    },
  };
}

/** Counts English syllables: groups of vowels, without a silent e. Correct for nine words in ten. */
function syllablesOf(word: string): number {
  const groups = word.replace(/(?:[^laeiouy]e|[^aeiouy]es|ed)$/, '').match(/[aeiouyà-ÿ]+/g);
  return Math.max(1, groups?.length ?? 0);
}
