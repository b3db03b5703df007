import type { Sentence } from '../sentences.ts';
import { createFindings } from './findings.ts';
import { counted, type Layer, rounded } from './layer.ts';
import { createPhrases } from './phrases.ts';

const SIGNS = {
  hedge:
    'perhaps, maybe, possibly, probably, apparently, seemingly, arguably, might, may, could, seems, seem, appears, ' +
    'suggests, suggest, roughly, somewhat, sort of, kind of, in my opinion, i think, i believe, it seems',
  certainty:
    'certainly, clearly, definitely, obviously, undoubtedly, surely, of course, always, never, in fact, without doubt, ' +
    'no doubt, proves, prove',
  obligation:
    'must, should, ought to, have to, has to, need to, needs to, required to, supposed to, obliged to',
  politeness: 'please, thank you, thanks, sorry, excuse me, pardon, would you, could you, kindly, welcome',
  promise: 'i will, we will, i promise, we promise, i shall, we shall, you have my word',
} as const;

/** Speech acts: questions, requests, promises, emphasis and hedges. */
export const pragmatics: Layer = {
  name: 'pragmatics',
  confidence: 0.65,
  inOtherLanguages: 0.1,
  start() {
    const findings = createFindings();
    const phrases = createPhrases(SIGNS);
    let [questions, requests, negations] = [0, 0, 0];
    return {
      read(sentence) {
        const found = phrases.find(sentence.tokens).filter((phrase) => !isMonth(phrase, sentence));
        for (const phrase of found) findings.add(phrase.sign, phrase.label, phrase);
        const isQuestion = sentence.tokens.some(({ text }) => text.includes('?'));
        if (isQuestion) questions += 1;
        const isPolite = found.some(({ sign }) => sign === 'politeness');
        if (isRequest(sentence, isPolite, isQuestion)) {
          requests += 1;
          findings.add('request', 'request', sentence);
        }
        if (sentence.words.some(({ isNegated }) => isNegated)) negations += 1;
      },
      finish({ words, sentences }) {
        const count = (sign: keyof typeof SIGNS) => findings.countOf(sign);
        const per100 = (sign: keyof typeof SIGNS) => rounded(words === 0 ? 0 : (count(sign) / words) * 100);
        const [hedged, certain] = [count('hedge'), count('certainty')];
        const stance = stanceOf(hedged, certain);
        return {
          summary:
            sentences === 0
              ? 'Nothing is said.'
              : `The stance is ${stance}: ${counted(hedged, 'hedge')}, ${counted(certain, 'sign')} of certainty, ${counted(count('obligation'), 'obligation')}, ${counted(requests, 'request')}.`,
          measures: {
            stance,
            questions,
            requests,
            negated_sentences: negations,
            promises: count('promise'),
            politeness: count('politeness'),
            hedges_per_100_words: per100('hedge'),
            certainty_per_100_words: per100('certainty'),
            obligations_per_100_words: per100('obligation'),
          },
          findings: findings.list(),
        };
      },
    };
  },
};

function stanceOf(hedged: number, certain: number): string {
  if (hedged === certain) return hedged === 0 ? 'neutral' : 'balanced';
  return hedged > certain ? 'cautious' : 'assertive';
}

/** `May` that is not a verb is usually the month. */
function isMonth({ label, start }: { label: string; start: number }, { tokens }: Sentence): boolean {
  return label === 'may' && tokens.find((token) => token.start === start)?.pos !== 'AUX';
}

/** Whether it is a request, possibly as a question: `Could you close the door?` */
function isRequest({ words }: Sentence, isPolite: boolean, isQuestion: boolean): boolean {
  const [first] = words;
  if (isQuestion) return isPolite;
  if (!first || words.length < 2 || first.normal === 'thank') return false;
  return first.normal === 'please' || (first.pos === 'VERB' && first.normal === first.lemma);
}
