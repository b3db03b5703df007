import type { Token } from '../sentences.ts';
import { createFindings } from './findings.ts';
import { type Layer, rounded, share } from './layer.ts';
import { createPhrases } from './phrases.ts';

const SIGNS = {
  informal:
    'gonna, wanna, gotta, yeah, yep, nope, ok, okay, hey, hi, lol, omg, kinda, sorta, dude, guys, stuff, cool, awesome, ' +
    'super, totally, btw, imo, bunch of, a lot of, ain',
  formal:
    'hereby, therein, thereof, pursuant, henceforth, notwithstanding, hitherto, heretofore, aforementioned, whereas, ' +
    'furthermore, moreover, consequently, nevertheless, accordingly, in accordance with, with regard to, shall, upon, ' +
    'thus, hence, therefore',
  british:
    'colour, colours, favourite, centre, centres, theatre, organise, organised, realise, realised, analyse, analysed, ' +
    'travelled, travelling, grey, defence, licence, whilst, towards, behaviour, neighbour, neighbours, harbour, honour',
  american:
    'color, colors, favorite, center, centers, theater, organize, organized, realize, realized, analyze, analyzed, ' +
    'traveled, traveling, gray, defense, license, toward, behavior, neighbor, neighbors, harbor, honor',
} as const;

const PERSONS: Record<string, 'first' | 'second' | 'third'> = {
  ...people('first', 'i me my mine myself we us our ours ourselves'),
  ...people('second', 'you your yours yourself yourselves'),
  ...people('third', 'he him his himself she her hers herself they them their theirs themselves'),
};

function people<Person extends string>(person: Person, words: string): Record<string, Person> {
  return Object.fromEntries(words.split(' ').map((word) => [word, person]));
}

/** Speaker and audience: tone, register, address and variety of English. */
export const sociolinguistics: Layer = {
  name: 'sociolinguistics',
  confidence: 0.6,
  inOtherLanguages: 0.1,
  start() {
    const findings = createFindings();
    const phrases = createPhrases(SIGNS);
    const persons = { first: 0, second: 0, third: 0 };
    let [contractions, abstract, mood, positive, negative, sentences] = [0, 0, 0, 0, 0, 0];
    return {
      read({ tokens, words, sentiment, start, end }) {
        if (words.length === 0) return;
        sentences += 1;
        mood += sentiment;
        if (sentiment > 0.2) {
          positive += 1;
          findings.add('positive', 'positive sentence', { start, end });
        }
        if (sentiment < -0.2) {
          negative += 1;
          findings.add('negative', 'negative sentence', { start, end });
        }
        for (const phrase of phrases.find(tokens)) findings.add(phrase.sign, phrase.label, phrase);
        for (const word of words) {
          const person = PERSONS[word.normal];
          if (person) persons[person] += 1;
          if (isContraction(word)) {
            contractions += 1;
            findings.add('informal', 'contraction', word);
          }
          if (/.{3}(?:tion|sion|ment|ness|ity|ance|ence)s?$/.test(word.normal)) abstract += 1;
        }
      },
      finish({ words }) {
        const formal = findings.countOf('formal') + abstract / 4;
        const informal = findings.countOf('informal') + persons.second / 4;
        const formality = formal + informal === 0 ? 0.5 : rounded(formal / (formal + informal), 3);
        const register = formality > 0.65 ? 'formal' : formality < 0.35 ? 'informal' : 'neutral';
        const tone = rounded(sentences === 0 ? 0 : mood / sentences, 3);
        const toneName = tone > 0.05 ? 'positive' : tone < -0.05 ? 'negative' : 'neutral';
        const spoken = Object.values(persons).reduce((sum, count) => sum + count, 0);
        return {
          summary:
            words === 0
              ? 'Nobody speaks.'
              : `The tone is ${toneName} and the register ${register}${address(persons)}.`,
          measures: {
            tone,
            tone_name: toneName,
            positive_sentences: positive,
            negative_sentences: negative,
            register,
            formality,
            contractions,
            first_person_share: share(persons.first, spoken),
            second_person_share: share(persons.second, spoken),
            third_person_share: share(persons.third, spoken),
            spelling: spelling(findings.countOf('british'), findings.countOf('american')),
          },
          findings: findings.list(),
        };
      },
    };
  },
};

function isContraction({ text, pos }: Token): boolean {
  return /^(?:n['’]t|['’](?:re|ve|ll|m|d))$/i.test(text) || (/^['’]s$/i.test(text) && pos === 'AUX');
}

function address({ first, second, third }: Record<'first' | 'second' | 'third', number>): string {
  if (first + second + third === 0) return '';
  if (second >= first && second >= third) return '; it speaks to its reader';
  return first >= third ? '; somebody speaks of themselves' : '; it speaks of others';
}

function spelling(british: number, american: number): string {
  if (british === american) return british === 0 ? 'unknown' : 'mixed';
  return british > american ? 'British' : 'American';
}
