import model from 'wink-eng-lite-web-model';
import winkNLP, { type ItemSentence } from 'wink-nlp';
import { normalForm } from '../../contract/normal-form.ts';

type EntityKind = 'name' | 'hashtag' | 'email';

/** An entity that a document mentions. */
export interface Entity {
  kind: EntityKind;
  /** The normalised name, equal for all spellings. */
  entity: string;
  /** The most frequent spelling in the document. */
  name: string;
  mentions: number;
}

/** The most entities of a document. Rarer ones say little about it. */
const MOST_ENTITIES = 200;
const LONGEST_NAME = 100;
/** The part of a longer text that is read. */
export const LONGEST_TEXT = 2_000_000;

/** Only sentences and parts of speech are needed. */
const nlp = winkNLP(model, ['sbd', 'pos']);
const { its } = nlp;

/** Names of days and months. */
const CALENDAR = new Set(
  (
    'monday tuesday wednesday thursday friday saturday sunday january february march april may june july august ' +
    'september october november december'
  ).split(' '),
);

const HASHTAG = /(?<![\p{L}\p{N}_&/#])#(?=[\p{N}_]*\p{L})[\p{L}\p{M}\p{N}_]{2,50}/gu;
const EMAIL = /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63})+/gu;
/** Matches two or more capitalised words within a sentence. */
const CAPITALISED =
  /(?<=[\p{Ll}\p{M},;]\s)\p{Lu}[\p{L}\p{M}'’-]+(?:\s(?:d[aei]|de la|v[ao]n|of)?\s?\p{Lu}[\p{L}\p{M}'’-]+)+/gu;

/**
 * Returns the entities of a text, most frequent first. The result depends on the text and its language alone. Names in
 * English are runs of proper nouns, as wink-nlp tags them; in other languages, which its model does not know, they are
 * runs of capitalised words within a sentence.
 */
export function extractEntities(text: string, language: string | null): Entity[] {
  const found = new Found();
  const isEnglish = language === null || /^en\b/i.test(language);
  for (const line of text.slice(0, LONGEST_TEXT).split('\n')) {
    for (const [hashtag] of line.matchAll(HASHTAG)) found.add('hashtag', hashtag);
    for (const [email] of line.matchAll(EMAIL)) found.add('email', email);
    if (isEnglish) addProperNouns(line, found);
    else for (const [name] of line.matchAll(CAPITALISED)) found.add('name', name);
  }
  return found.entities();
}

function addProperNouns(line: string, found: Found): void {
  // A name has a capital letter, and tagging is the slow part.
  if (!/\p{Lu}/u.test(line)) return;
  nlp
    .readDoc(line)
    .sentences()
    .each((sentence: ItemSentence) => {
      const words = sentence.tokens().out(its.value) as string[];
      const tags = sentence.tokens().out(its.pos) as unknown as string[];
      for (let start = 0; start < words.length; start++) {
        if (!isNamePart(words[start], tags[start])) continue;
        let end = start + 1;
        // For example: University of Cambridge.
        while (
          isNamePart(words[end], tags[end]) ||
          (words[end] === 'of' && isNamePart(words[end + 1], tags[end + 1]))
        )
          end += 1;
        found.add('name', words.slice(start, end).join(' '), start === 0);
        start = end;
      }
    });
}

function isNamePart(word = '', tag = ''): boolean {
  return tag === 'PROPN' && /^\p{Lu}[\p{L}\p{M}\p{N}'’.-]*$/u.test(word);
}

class Found {
  readonly #spellings = new Map<
    string,
    { kind: EntityKind; spellings: Map<string, number>; isSure: boolean }
  >();

  /** Whether a single capitalised word at the start of a sentence is a name: only if it also occurs elsewhere. */
  add(kind: EntityKind, spelling: string, beginsSentence = false): void {
    const name = normalForm(spelling).replace(/\s+/g, ' ');
    const entity = name.toLowerCase();
    if (name.length < 2 || name.length > LONGEST_NAME || CALENDAR.has(entity)) return;
    const key = `${kind} ${entity}`;
    const known = this.#spellings.get(key) ?? { kind, spellings: new Map(), isSure: false };
    known.spellings.set(name, (known.spellings.get(name) ?? 0) + 1);
    known.isSure ||= !beginsSentence || name.includes(' ');
    this.#spellings.set(key, known);
  }

  entities(): Entity[] {
    return [...this.#spellings]
      .filter(([, { isSure }]) => isSure)
      .map(([key, { kind, spellings }]) => {
        const [[name] = ['']] = [...spellings].sort(([a, x], [b, y]) => y - x || order(a, b));
        const mentions = [...spellings.values()].reduce((sum, count) => sum + count, 0);
        return { kind, entity: key.slice(kind.length + 1), name, mentions };
      })
      .sort((a, b) => b.mentions - a.mentions || order(a.kind, b.kind) || order(a.entity, b.entity))
      .slice(0, MOST_ENTITIES);
  }
}

/** Compares by code units, which gives the same order on every machine. */
function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
