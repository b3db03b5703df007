import type { Sentence, Token } from '../sentences.ts';
import { createFindings } from './findings.ts';
import { counted, type Layer, rounded, share } from './layer.ts';

const LONG_SENTENCE_WORDS = 35;

type Build = 'simple' | 'compound' | 'complex' | 'fragmentary';

/** Sentences: their type, structure and difficulty. */
export const syntax: Layer = {
  name: 'syntax',
  confidence: 0.75,
  inOtherLanguages: 0.1,
  start() {
    const findings = createFindings();
    const builds: Record<Build, number> = { simple: 0, compound: 0, complex: 0, fragmentary: 0 };
    const purposes = { statement: 0, question: 0, exclamation: 0, command: 0 };
    let [passives, subordinate, sentences] = [0, 0, 0];
    return {
      read(sentence) {
        if (sentence.words.length === 0) return;
        sentences += 1;
        builds[buildOf(sentence)] += 1;
        const purpose = purposeOf(sentence);
        purposes[purpose] += 1;
        if (purpose !== 'statement') findings.add(purpose, purpose, sentence);
        subordinate += sentence.words.filter(isSubordinator).length;
        for (const range of passivesOf(sentence.tokens)) {
          passives += 1;
          findings.add('passive', range.label, range);
        }
        if (sentence.words.length > LONG_SENTENCE_WORDS)
          findings.add('long_sentence', `more than ${LONG_SENTENCE_WORDS} words`, sentence);
      },
      finish({ words }) {
        const [main = 'simple'] = (Object.keys(builds) as Build[]).sort((a, b) => builds[b] - builds[a]);
        return {
          summary:
            sentences === 0
              ? 'There are no sentences.'
              : `${counted(sentences, 'sentence')}, ${sentences === 1 ? '' : 'mostly '}${main}; ${counted(purposes.question, 'question')}, ${counted(passives, 'passive')}.`,
          measures: {
            sentences,
            words_per_sentence: rounded(sentences === 0 ? 0 : words / sentences),
            simple_share: share(builds.simple, sentences),
            compound_share: share(builds.compound, sentences),
            complex_share: share(builds.complex, sentences),
            fragmentary_share: share(builds.fragmentary, sentences),
            questions: purposes.question,
            exclamations: purposes.exclamation,
            commands: purposes.command,
            passives,
            subordinators_per_sentence: rounded(sentences === 0 ? 0 : subordinate / sentences),
          },
          findings: findings.list(),
        };
      },
    };
  },
};

const RELATIVES = new Set(['who', 'whom', 'whose', 'which']);

function isSubordinator({ pos, normal }: Token): boolean {
  return pos === 'SCONJ' || RELATIVES.has(normal);
}

const isPredicate = ({ pos }: Token) => pos === 'VERB' || pos === 'AUX';

function buildOf({ words }: Sentence): Build {
  const predicates = words.filter(isPredicate).length;
  if (predicates === 0) return 'fragmentary';
  if (
    words.some((word, index) => index > 0 && isSubordinator(word)) ||
    (words[0]?.pos === 'SCONJ' && predicates > 1)
  )
    return 'complex';
  return joinsClauses(words) ? 'compound' : 'simple';
}

/** Whether an `and` or a `but` joins two clauses: a predicate on both sides, and a subject after it. */
function joinsClauses(words: Token[]): boolean {
  return words.some((word, index) => {
    if (word.pos !== 'CCONJ') return false;
    const [before, after] = [words.slice(0, index), words.slice(index + 1)];
    const predicate = after.findIndex(isPredicate);
    const subject = after.findIndex(({ pos }) => pos === 'PRON' || pos === 'NOUN' || pos === 'PROPN');
    return before.some(isPredicate) && predicate > 0 && subject >= 0 && subject < predicate;
  });
}

function purposeOf({ tokens, words }: Sentence): 'statement' | 'question' | 'exclamation' | 'command' {
  const end = tokens.findLast(({ text }) => /[.!?]/.test(text))?.text ?? '';
  if (end.includes('?')) return 'question';
  const [first, second] = words;
  const isCommand =
    first?.pos === 'VERB' && first.normal === first.lemma && second !== undefined && second.pos !== 'VERB';
  if (isCommand) return 'command';
  return end.includes('!') ? 'exclamation' : 'statement';
}

/** Finds passives: a form of `be`, optionally an adverb, and a participle. */
function passivesOf(tokens: Token[]): { label: string; start: number; end: number }[] {
  return tokens.flatMap((auxiliary, index) => {
    if (auxiliary.lemma !== 'be' || !isPredicate(auxiliary)) return [];
    const following = tokens.slice(index + 1, index + 4);
    const verb = following.find(({ pos }) => pos !== 'ADV' && pos !== 'PART');
    if (verb?.pos !== 'VERB' || verb.normal === verb.lemma || /ing$/.test(verb.normal)) return [];
    return { label: `be ${verb.normal}`, start: auxiliary.start, end: verb.end };
  });
}
