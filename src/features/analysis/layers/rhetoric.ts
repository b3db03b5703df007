import type { Sentence, Token } from '../sentences.ts';
import { createFindings } from './findings.ts';
import { counted, type Layer, listed, rounded } from './layer.ts';

const FIGURES = [
  'anaphora',
  'epistrophe',
  'alliteration',
  'tricolon',
  'simile',
  'antithesis',
  'repetition',
  'rhetorical_question',
] as const;
type Figure = (typeof FIGURES)[number];

interface FoundFigure {
  figure: Figure;
  label: string;
  start: number;
  end: number;
}

/** Figures of speech that are visible in the word order. */
export const rhetoric: Layer = {
  name: 'rhetoric',
  confidence: 0.55,
  inOtherLanguages: 0.1,
  start() {
    const findings = createFindings();
    const add = ({ figure, label, start, end }: FoundFigure) => findings.add(figure, label, { start, end });
    const openings = createRun('anaphora', openingOf, add);
    const closings = createRun('epistrophe', closingOf, add);
    let asked: Sentence | undefined;
    return {
      read(sentence) {
        if (sentence.words.length === 0) return;
        openings.read(sentence);
        closings.read(sentence);
        for (const find of [alliterations, tricolons, similes, antitheses, repetitions]) {
          for (const found of find(sentence)) add(found);
        }
        // A question without an answer before the next one, or one that answers itself.
        const isQuestion = sentence.tokens.some(({ text }) => text.includes('?'));
        if (isQuestion && (asked || isLeading(sentence)))
          findings.add('rhetorical_question', 'rhetorical question', sentence);
        asked = isQuestion ? sentence : undefined;
      },
      finish({ sentences }) {
        openings.finish();
        closings.finish();
        const counts = FIGURES.map((figure): [Figure, number] => [figure, findings.countOf(figure)]);
        const figures = counts.reduce((sum, [, count]) => sum + count, 0);
        const main = counts.filter(([, count]) => count > 0).sort((a, b) => b[1] - a[1]);
        return {
          summary:
            figures === 0
              ? 'No figures of speech were found.'
              : `${counted(figures, 'figure')} of speech, mostly ${listed(main.slice(0, 2).map(([figure]) => figure.replace('_', ' ')))}.`,
          measures: {
            figures,
            figures_per_100_sentences: rounded(sentences === 0 ? 0 : (figures / sentences) * 100, 1),
            ...Object.fromEntries(counts),
          },
          findings: findings.list(),
        };
      },
    };
  },
};

/** Consecutive sentences with a common property. */
function createRun(
  figure: Figure,
  keyOf: (sentence: Sentence) => string | undefined,
  add: (found: FoundFigure) => void,
) {
  let key: string | undefined;
  let [length, start, end] = [0, 0, 0];
  const close = () => {
    if (key !== undefined && length >= 2) add({ figure, label: key, start, end });
  };
  return {
    read(sentence: Sentence) {
      const own = keyOf(sentence);
      if (own !== undefined && own === key) {
        length += 1;
        end = sentence.end;
        return;
      }
      close();
      [key, length, start, end] = [own, 1, sentence.start, sentence.end];
    },
    finish: close,
  };
}

function openingOf({ words }: Sentence): string | undefined {
  const [first, second, third] = words;
  return first && second && third ? `${first.normal} ${second.normal}` : undefined;
}

function closingOf({ words }: Sentence): string | undefined {
  const last = words.at(-1);
  return last && words.length > 2 && !last.isStopWord ? last.normal : undefined;
}

/** Finds three content words in a row with the same first sound. Function words between them do not count. */
function alliterations({ words }: Sentence): FoundFigure[] {
  const telling = words.filter(({ isStopWord, normal }) => !isStopWord && /^[a-z]/.test(normal));
  const found: FoundFigure[] = [];
  for (let index = 0; index < telling.length; ) {
    const first = telling[index];
    if (!first) break;
    let last = index;
    while (telling[last + 1]?.normal[0] === first.normal[0]) last += 1;
    const run = telling.slice(index, last + 1);
    if (new Set(run.map(({ normal }) => normal)).size >= 3)
      found.push({
        figure: 'alliteration',
        label: run.map(({ normal }) => normal).join(' '),
        start: first.start,
        end: (run.at(-1) ?? first).end,
      });
    index = last + 1;
  }
  return found;
}

/** Finds `a, b and c`, of words of one part of speech. */
function tricolons({ tokens }: Sentence): FoundFigure[] {
  return tokens.flatMap((first, index) => {
    const [comma, second, ...rest] = tokens.slice(index + 1, index + 6);
    if (!first.isWord || comma?.text !== ',' || !second?.isWord) return [];
    const [joint, third] = rest[0]?.text === ',' ? rest.slice(1) : rest;
    if (joint?.pos !== 'CCONJ' || !third?.isWord) return [];
    if (first.pos !== second.pos || second.pos !== third.pos || first.isStopWord) return [];
    const label = [first, second, third].map(({ normal }) => normal).join(', ');
    return { figure: 'tricolon', label, start: first.start, end: third.end };
  });
}

/** Finds `as brave as a lion` and `like a river`. */
function similes({ tokens }: Sentence): FoundFigure[] {
  return tokens.flatMap((word, index): FoundFigure[] => {
    const [next, then, article] = tokens.slice(index + 1, index + 4);
    if (word.normal === 'as' && next?.pos === 'ADJ' && then?.normal === 'as' && article) {
      const end = nounFrom(tokens, index + 3);
      return end ? [{ figure: 'simile', label: `as ${next.normal} as`, start: word.start, end }] : [];
    }
    const isLike = word.normal === 'like' && word.pos !== 'VERB' && /^(?:an?|the)$/.test(next?.normal ?? '');
    const end = isLike ? nounFrom(tokens, index + 1) : undefined;
    return end ? [{ figure: 'simile', label: 'like', start: word.start, end }] : [];
  });
}

function nounFrom(tokens: Token[], from: number): number | undefined {
  return tokens.slice(from, from + 5).find(({ pos }) => pos === 'NOUN' || pos === 'PROPN')?.end;
}

/** Finds `not … but …` within one sentence and a few words. */
function antitheses({ tokens }: Sentence): FoundFigure[] {
  return tokens.flatMap((word, index): FoundFigure[] => {
    if (word.normal !== 'not' || tokens[index + 1]?.normal === 'only') return [];
    const turn = tokens.slice(index + 2, index + 12).findIndex(({ normal }) => normal === 'but');
    const last = turn < 0 ? undefined : tokens.slice(index + 2 + turn + 1).findLast(({ isWord }) => isWord);
    return last ? [{ figure: 'antithesis', label: 'not … but', start: word.start, end: last.end }] : [];
  });
}

/** Finds a word that is repeated directly. */
function repetitions({ words }: Sentence): FoundFigure[] {
  const found: FoundFigure[] = [];
  for (let index = 0; index + 1 < words.length; index++) {
    const first = words[index];
    let last = index;
    while (first && words[last + 1]?.normal === first.normal) last += 1;
    const end = words[last]?.end;
    // `that that` and `had had` are regular grammar.
    if (first && end && last > index && !/^(?:that|had)$/.test(first.normal))
      found.push({ figure: 'repetition', label: first.normal, start: first.start, end });
    index = last;
  }
  return found;
}

/** Whether it is a question like `Isn't it?` or `Who would not?`. */
function isLeading({ words }: Sentence): boolean {
  const [first, second] = words;
  return (
    /^(?:not|n['’]t)$/.test(second?.normal ?? '') ||
    (first?.normal === 'who' && words.some(({ isNegated }) => isNegated))
  );
}
