import type { Entity, Sentence, Token } from '../sentences.ts';
import { createFindings, type Findings } from './findings.ts';
import { counted, type Layer, listed } from './layer.ts';

const LONGEST_PHRASE = 4;

/** The subject of a text: names, dates, amounts, addresses and key phrases. */
export const semantics: Layer = {
  name: 'semantics',
  confidence: 0.7,
  inOtherLanguages: 0.1,
  start() {
    const findings = createFindings();
    return {
      read(sentence) {
        for (const entity of sentence.entities) {
          if (isTelling(entity)) findings.add('entity', entity.text, entity, entity.type.toLowerCase());
        }
        addNames(sentence, findings);
        addKeyPhrases(sentence.tokens, findings);
      },
      finish() {
        const phrases = findings.list({ kind: 'key_phrase', least: 2, most: 20 });
        const names = findings.list({ kind: 'name', most: 20 });
        const entities = findings.list({ kind: 'entity', most: 20 });
        const about = phrases.slice(0, 3).map(({ label }) => label);
        const who = names.slice(0, 3).map(({ label }) => label);
        return {
          summary:
            [
              about.length > 0 && `About ${listed(about)}.`,
              who.length > 0 && `Names ${listed(who)}.`,
              entities.length > 0 &&
                `${counted(findings.countOf('entity'), 'date, amount or address', 'dates, amounts or addresses')}.`,
            ]
              .filter(Boolean)
              .join(' ') || 'Nothing stands out.',
          measures: {
            names: findings.countOf('name'),
            entities: findings.countOf('entity'),
            key_phrases: phrases.length,
          },
          findings: [...names, ...entities, ...phrases],
        };
      },
    };
  },
};

/** The model classifies `night` as a time, which is no finding. Emoji belong to another layer. */
function isTelling({ type, text }: Entity): boolean {
  return type !== 'EMOJI' && type !== 'EMOTICON' && (type !== 'TIME' || /\d/.test(text));
}

/** Finds runs of proper nouns, with `of` between them where it is part of the name. */
function addNames({ tokens, entities }: Sentence, findings: Findings): void {
  for (let index = 0; index < tokens.length; index++) {
    const first = tokens[index];
    if (!first || !isName(first, index)) continue;
    let last = index;
    for (let next = index + 1; next < tokens.length; next++) {
      const word = tokens[next];
      if (word && isName(word, next)) last = next;
      else if (word?.normal !== 'of' || !tokens[next + 1] || !isName(tokens[next + 1] as Token, next + 1))
        break;
    }
    const end = (tokens[last] ?? first).end;
    const isEntity = entities.some((entity) => entity.start < end && entity.end > first.start);
    if (!isEntity) {
      const label = tokens.slice(index, last + 1).map(({ text }) => text);
      findings.add('name', label.join(' '), { start: first.start, end });
    }
    index = last;
  }
}

/** Every word at the start of a sentence is capitalised. */
function isName({ pos, text, isStopWord, isWord }: Token, index: number): boolean {
  return isWord && pos === 'PROPN' && /^\p{Lu}/u.test(text) && !isStopWord && (index > 0 || text.length > 2);
}

/** Finds noun phrases: `cold harbour`, `public library card`. */
function addKeyPhrases(tokens: Token[], findings: Findings): void {
  let phrase: Token[] = [];
  const close = () => {
    while (phrase.length > 0 && phrase.at(-1)?.pos !== 'NOUN') phrase.pop();
    const [first, last] = [phrase[0], phrase.at(-1)];
    if (first && last && phrase.length <= LONGEST_PHRASE) {
      const label = phrase.map((word) => (word.pos === 'NOUN' ? word.lemma : word.normal)).join(' ');
      if (label.length > 2) findings.add('key_phrase', label, { start: first.start, end: last.end });
    }
    phrase = [];
  };
  for (const word of tokens) {
    const belongs = word.isWord && !word.isStopWord && (word.pos === 'NOUN' || word.pos === 'ADJ');
    if (!belongs) close();
    // An adjective after a noun starts another phrase.
    else if (word.pos === 'ADJ' && phrase.at(-1)?.pos === 'NOUN') {
      close();
      phrase.push(word);
    } else phrase.push(word);
  }
  close();
}
