import type { Sentence } from '../sentences.ts';
import { createFindings } from './findings.ts';
import { type Layer, listed, rounded } from './layer.ts';
import { createPhrases } from './phrases.ts';

const RELATIONS = {
  contrast:
    'however, but, although, though, yet, nevertheless, nonetheless, on the other hand, in contrast, whereas, despite, ' +
    'instead, still, even so',
  cause:
    'because, therefore, thus, hence, consequently, as a result, so that, since, accordingly, for this reason, due to',
  addition: 'also, moreover, furthermore, in addition, besides, as well as, likewise, similarly, not only',
  sequence:
    'first, firstly, second, secondly, third, thirdly, then, next, finally, afterwards, meanwhile, later, eventually, ' +
    'at first, in the end, before, after',
  example: 'for example, for instance, such as, namely, in particular, that is',
  condition: 'if, unless, provided that, as long as, otherwise, in case',
  conclusion: 'in conclusion, to conclude, in short, in summary, to sum up, overall, all in all',
} as const;

type Relation = keyof typeof RELATIONS;

/** Cohesion: the words that connect sentences, and the references between them. */
export const discourse: Layer = {
  name: 'discourse',
  confidence: 0.7,
  inOtherLanguages: 0.1,
  start() {
    const findings = createFindings();
    const phrases = createPhrases<Relation>(RELATIONS);
    let previous: Set<string> | undefined;
    let [pairs, overlap, linked] = [0, 0, 0];
    return {
      read(sentence) {
        const found = phrases.find(sentence.tokens);
        for (const marker of found) findings.add(marker.sign, marker.label, marker);
        if (found.some(({ isFirst }) => isFirst)) linked += 1;
        const subjects = subjectsOf(sentence);
        if (subjects.size === 0) return;
        if (previous) {
          pairs += 1;
          const shared = [...subjects].filter((lemma) => previous?.has(lemma)).length;
          overlap += shared / Math.min(subjects.size, previous.size);
        }
        previous = subjects;
      },
      finish({ words, sentences }) {
        const relations = Object.keys(RELATIONS) as Relation[];
        const counts = relations.map((relation) => [relation, findings.countOf(relation)] as const);
        const markers = counts.reduce((sum, [, count]) => sum + count, 0);
        const main = counts
          .filter(([, count]) => count > 0)
          .sort((a, b) => b[1] - a[1])
          .slice(0, 2)
          .map(([relation]) => relation);
        const cohesion = rounded(pairs === 0 ? 0 : overlap / pairs, 3);
        return {
          summary:
            markers === 0
              ? 'No words join the sentences.'
              : `Joined mainly by ${listed(main)}; ${cohesion >= 0.2 ? 'sentences take up' : 'few sentences take up'} what was said before.`,
          measures: {
            markers,
            markers_per_100_words: rounded(words === 0 ? 0 : (markers / words) * 100),
            cohesion,
            linked_sentence_share: rounded(sentences === 0 ? 0 : linked / sentences, 3),
            ...Object.fromEntries(counts),
          },
          findings: findings.list(),
        };
      },
    };
  },
};

function subjectsOf({ words }: Sentence): Set<string> {
  const telling = words.filter(({ isStopWord, pos }) => !isStopWord && /^(?:NOUN|PROPN|VERB)$/.test(pos));
  return new Set(telling.map(({ lemma }) => lemma));
}
