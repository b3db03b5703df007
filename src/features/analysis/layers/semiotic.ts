import type { Sentence, Token } from '../sentences.ts';
import { createFindings } from './findings.ts';
import { counted, type Layer, listed } from './layer.ts';

/** Recurring images, and the words that express them. */
const FIELDS: Record<string, string> = {
  light: 'light lamp sun star dawn candle shine glow bright lantern',
  darkness: 'dark darkness night shadow gloom black',
  water: 'water sea river rain ocean wave lake tide harbour harbor flood',
  fire: 'fire flame burn ash smoke ember spark',
  journey: 'road path journey travel way bridge voyage step ship boat',
  house: 'house home door window wall room roof threshold key',
  growth: 'seed root tree leaf flower garden bloom harvest grow forest',
  death: 'death die grave ghost bone funeral corpse',
  time: 'clock hour season winter summer spring autumn yesterday tomorrow century',
  battle: 'war battle fight enemy sword weapon army victory',
  animal: 'bird wolf dog horse snake lion fish cat eagle bear',
  body: 'heart hand eye blood face head mouth',
};
const FIELD_OF = new Map(
  Object.entries(FIELDS).flatMap(([field, words]) =>
    words.split(' ').map((word): [string, string] => [word, field]),
  ),
);

const TAG = /^[#@][\p{L}\p{N}_]+$/u;
const LONGEST_SIGN = 40;

/** Signs: recurring images, and everything that has meaning without being a word. */
export const semiotic: Layer = {
  name: 'semiotic',
  confidence: 0.5,
  inOtherLanguages: 0.5,
  start() {
    const findings = createFindings();
    const fields = new Map<string, number>();
    const signs = { emoji: 0, emphasis: 0, quotations: 0, tags: 0 };
    const readSigns = ({ tokens }: Sentence) => {
      for (const emoji of emojiOf(tokens)) {
        signs.emoji += 1;
        findings.add('emoji', emoji.text, emoji);
      }
      for (const { text, isWord, start, end } of tokens) {
        if (isWord || text.length > LONGEST_SIGN) continue;
        if (TAG.test(text)) {
          signs.tags += 1;
          findings.add('tag', text, { start, end });
        } else if (/^(?:!{2,}|\?!|!\?|…|\.{3,})$/.test(text)) {
          signs.emphasis += 1;
          findings.add('emphasis', text, { start, end });
        } else if (/^[“„«"]$/.test(text)) {
          // Opening and closing marks are the same character.
          signs.quotations += text === '"' ? 0.5 : 1;
        }
      }
    };
    return {
      read(sentence) {
        for (const word of sentence.words) {
          const field = FIELD_OF.get(word.lemma);
          if (field) {
            fields.set(field, (fields.get(field) ?? 0) + 1);
            findings.add('symbol', word.lemma, word, field);
          }
          if (isShouted(word.text)) {
            signs.emphasis += 1;
            findings.add('emphasis', word.text, word);
          }
        }
        readSigns(sentence);
      },
      finish({ isEnglish }) {
        const recurring = findings.list({ kind: 'symbol', least: 2, most: 25 });
        const others = findings.list().filter(({ kind }) => kind !== 'symbol');
        const main = [...fields]
          .filter(([, count]) => count > 1)
          .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
        const parts = [
          main.length > 0 && `Images of ${listed(main.slice(0, 3).map(([field]) => field))} recur.`,
          signs.emoji > 0 && `${counted(signs.emoji, 'emoji', 'emoji')}.`,
        ].filter(Boolean);
        return {
          summary:
            parts.join(' ') ||
            (isEnglish ? 'No symbol recurs.' : 'Images are looked for in English texts only.'),
          measures: {
            ...signs,
            quotations: Math.floor(signs.quotations),
            recurring_symbols: recurring.length,
            main_image: main[0]?.[0] ?? 'none',
          },
          findings: [...recurring, ...others].slice(0, 40),
        };
      },
    };
  },
};

function isShouted(text: string): boolean {
  return text.length > 3 && /^\p{Lu}+$/u.test(text);
}

/** Matches one displayed emoji: with skin tone, joined parts, or the two letters of a flag. */
const EMOJI =
  /\p{RI}\p{RI}|\p{Extended_Pictographic}(?:\uFE0F|\p{EMod})*(?:\u200D\p{Extended_Pictographic}(?:\uFE0F|\p{EMod})*)*/gu;
const PART = /^(?:\p{Extended_Pictographic}|\p{RI}|\p{EMod}|\u200D|\uFE0F)/u;

/** Joins adjacent tokens first, because the tokeniser splits joined emoji. */
function emojiOf(tokens: readonly Token[]) {
  const found: { text: string; start: number; end: number }[] = [];
  let run = { text: '', start: 0, end: 0 };
  const close = () => {
    for (const { 0: text, index } of run.text.matchAll(EMOJI))
      found.push({ text, start: run.start + index, end: run.start + index + text.length });
    run = { text: '', start: 0, end: 0 };
  };
  for (const { text, start, end, isWord } of tokens) {
    if (run.text !== '' && start !== run.end) close();
    if (isWord || !PART.test(text)) close();
    else run = run.text === '' ? { text, start, end } : { text: run.text + text, start: run.start, end };
  }
  close();
  return found;
}
