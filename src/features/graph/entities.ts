import model from 'wink-eng-lite-web-model';
import winkNLP, { type ItemSentence } from 'wink-nlp';
import { normalForm } from '../../contract/normal-form.ts';

export type EntityKind = 'name' | 'hashtag' | 'email';

/** Something that a document mentions. */
export interface Entity {
  kind: EntityKind;
  /** The same for all spellings. */
  entity: string;
  /** As the document writes it most often. */
  name: string;
  mentions: number;
}

/** What a document mentions most; the rest tells little about it. */
const MOST_ENTITIES = 200;
const LONGEST_NAME = 100;
/** Of a longer text the beginning is read. */
export const LONGEST_TEXT = 2_000_000;

/** Sentences and the kinds of their words are all that is asked for. */
const nlp = winkNLP(model, ['sbd', 'pos']);
const { its } = nlp;

/** Names that say when, not what. */
const CALENDAR = new Set(
  (
    'monday tuesday wednesday thursday friday saturday sunday january february march april may june july august ' +
    'september october november december'
  ).split(' '),
);

const HASHTAG = /(?<![\p{L}\p{N}_&/#])#(?=[\p{N}_]*\p{L})[\p{L}\p{M}\p{N}_]{2,50}/gu;
const EMAIL = /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63})+/gu;
/** Two or more capitalised words within a sentence. */
const CAPITALISED =
  /(?<=[\p{Ll}\p{M},;]\s)\p{Lu}[\p{L}\p{M}'’-]+(?:\s(?:d[aei]|de la|v[ao]n|of)?\s?\p{Lu}[\p{L}\p{M}'’-]+)+/gu;

/**
 * What a text mentions, most often mentioned first: a function of the text and its language alone. Names in English are
 * runs of proper nouns, as wink-nlp tags them; in other languages, which its model does not know, they are runs of
 * capitalised words within a sentence.
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
  // Without a capital there is no name, and tagging is what takes the time.
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
        // University of Cambridge.
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

  /** A single word that begins a sentence may be no name; it counts when it is found elsewhere, too. */
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

/** By code units: the same on every machine. */
function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
