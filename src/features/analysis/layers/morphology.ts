import type { PartOfSpeech } from 'wink-nlp';
import type { Token } from '../sentences.ts';
import { createFindings } from './findings.ts';
import { type Layer, listed, share } from './layer.ts';

const CLASSES: Partial<Record<PartOfSpeech, string>> = {
  NOUN: 'nouns',
  PROPN: 'names',
  VERB: 'verbs',
  ADJ: 'adjectives',
  ADV: 'adverbs',
  PRON: 'pronouns',
};

const SUFFIXES: [RegExp, string][] = [
  [/.{3}tions?$/, '-tion'],
  [/.{3}sions?$/, '-sion'],
  [/.{3}ness(?:es)?$/, '-ness'],
  [/.{3}ments?$/, '-ment'],
  [/.{3}it(?:y|ies)$/, '-ity'],
  [/.{3}isms?$/, '-ism'],
  [/.{3}ful$/, '-ful'],
  [/.{3}less$/, '-less'],
  [/.{3}(?:able|ible)$/, '-able'],
  [/.{3}ly$/, '-ly'],
];
const PREFIXES = /^(un|re|dis|mis|over|under|anti|inter)(?=[a-z]{4})/;

/** Word forms: parts of speech, inflection and affixes. */
export const morphology: Layer = {
  name: 'morphology',
  confidence: 0.85,
  inOtherLanguages: 0.1,
  start() {
    const findings = createFindings();
    const classes = new Map<string, number>();
    const tenses = { past: 0, present: 0, progressive: 0 };
    let [nouns, plurals, comparatives] = [0, 0, 0];
    return {
      read({ words }) {
        for (const word of words) {
          const name = CLASSES[word.pos] ?? 'others';
          classes.set(name, (classes.get(name) ?? 0) + 1);
          if (word.pos === 'NOUN') nouns += 1;
          if (isPlural(word)) plurals += 1;
          if (isCompared(word)) {
            comparatives += 1;
            findings.add('comparison', word.normal, word);
          }
          const tense = tenseOf(word);
          if (tense) tenses[tense] += 1;
          const built = buildingOf(word);
          if (built) findings.add('derivation', built, word);
        }
      },
      finish({ words }) {
        const shares = [...classes].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
        const main = shares.filter(([name]) => name !== 'others').slice(0, 3);
        const tense = mainTense(tenses);
        const names = Object.values(CLASSES);
        return {
          summary:
            words === 0
              ? 'There are no words.'
              : `Mostly ${listed(main.map(([name, count]) => `${name} (${Math.round((count / words) * 100)} %)`)) || 'words of no open class'}; ${tense === 'none' ? 'no tense prevails' : `mostly told in the ${tense}`}.`,
          measures: {
            ...Object.fromEntries(
              names.map((name) => [`${name}_share`, share(classes.get(name) ?? 0, words)]),
            ),
            plural_share: share(plurals, nouns),
            comparatives,
            past_verbs: tenses.past,
            present_verbs: tenses.present,
            progressive_verbs: tenses.progressive,
            main_tense: tense,
          },
          findings: findings.list(),
        };
      },
    };
  },
};

function isPlural({ pos, normal, lemma }: Token): boolean {
  return (
    pos === 'NOUN' && normal !== lemma && /s$|^(?:men|women|children|people|feet|teeth|mice)$/.test(normal)
  );
}

function isCompared({ pos, normal, lemma }: Token): boolean {
  if (pos !== 'ADJ' && pos !== 'ADV') return false;
  if (/^(?:better|best|worse|worst|more|most|less|least)$/.test(normal)) return true;
  return normal !== lemma && /(?:er|est)$/.test(normal);
}

const PAST_FORMS = /^(?:was|were|had|did)$/;
const PRESENT_FORMS = /^(?:is|are|am|has|have|do|does)$/;

function tenseOf({ pos, normal, lemma }: Token): 'past' | 'present' | 'progressive' | undefined {
  if (pos === 'AUX') {
    if (PAST_FORMS.test(normal)) return 'past';
    return PRESENT_FORMS.test(normal) ? 'present' : undefined;
  }
  if (pos !== 'VERB') return undefined;
  if (/ing$/.test(normal) && normal !== lemma) return 'progressive';
  if (normal === lemma || normal === `${lemma}s` || /(?:es|ies)$/.test(normal)) return 'present';
  return 'past';
}

function mainTense({ past, present }: { past: number; present: number }): string {
  if (past + present === 0) return 'none';
  return past > present ? 'past' : 'present';
}

function buildingOf({ normal, isStopWord }: Token): string | undefined {
  if (isStopWord || normal.length < 6) return undefined;
  const suffix = SUFFIXES.find(([form]) => form.test(normal))?.[1];
  if (suffix) return suffix;
  const prefix = PREFIXES.exec(normal)?.[1];
  return prefix && `${prefix}-`;
}
