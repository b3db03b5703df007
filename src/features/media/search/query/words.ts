import type { Queryable } from '../../../../platform/database/database.ts';
import type { SqlFragment } from '../../../../platform/database/statement.ts';
import { UNSPACED, withoutInvisible } from '../characters.ts';
import type { Query, Words } from './tree.ts';

const SPACED_WORD = `(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}])`;
/** One word in the database, too, which separates numbers such as ² and ½ from the letters before them. */
const ONE_WORD = new RegExp(`^(?:[${UNSPACED}]|(?:(?!\\p{No})${SPACED_WORD})+)$`, 'u');
/** Two Latin letters are the prefix of so many words that finding all of them takes seconds in a large database. */
const TOO_SHORT = /^(?:[!-~]{1,2}|.)$/u;
/** In scripts without spaces between words, a run of characters counts as one word, and is searched as a phrase. */
const SHOWN = new RegExp(`[${UNSPACED}]+|${SPACED_WORD}+`, 'gu');
/** Marks without a letter, which `search_form` removes, are no word. */
const LETTER = /[\p{L}\p{N}]/u;

/** The most words that are highlighted. Each is searched in the whole text of every hit. */
const MOST_SHOWN = 20;

/** Whether a word may be the beginning of a longer one: only letters and digits. */
export function isUnfinishedWord(word: string): boolean {
  const letters = withoutInvisible(word);
  return ONE_WORD.test(letters) && !TOO_SHORT.test(letters);
}

/** Returns the words to highlight, as they were typed, without the excluded ones. */
export function wordsToShow(query: Query): string[] {
  const words = wantedWords(query).flatMap(({ text }) => splitWords(text));
  return [...new Set(words)].slice(0, MOST_SHOWN);
}

function splitWords(text: string): string[] {
  return (withoutInvisible(text).match(SHOWN) ?? []).filter((word) => LETTER.test(word));
}

function wantedWords(query: Query): Words[] {
  if (query.type === 'all' || query.type === 'any') return query.of.flatMap(wantedWords);
  return query.type === 'words' ? [query] : [];
}

/**
 * A query to the text index, for a query of which `isText` is true. PostgreSQL leaves out what has no words. The words of a phrase
 * are next to each other, or, with `isScattered`, anywhere.
 */
export function toTextQuery(sql: Queryable, query: Query, isScattered = false): SqlFragment {
  return reduceText(sql, query, { all: sql`&&`, any: sql`||` }, (part) => partInSql(sql, part, isScattered));
}

/** The columns of a row of `media_search`. */
interface Piece {
  document: SqlFragment;
  words: SqlFragment;
}

/**
 * Whether a piece of text has the words of a query of which `isText` is true. A piece whose `document` lacks positions has
 * `words`, in which phrases are looked for. The index finds the pieces that have all words of the phrases. `whole` is the
 * query to the text index.
 */
export function matchesPiece(
  sql: Queryable,
  query: Query,
  { document, words }: Piece,
  whole = toTextQuery(sql, query),
): SqlFragment {
  if (!hasPhrase(query)) return sql`${document} @@ ${whole}`;
  // In a subquery, what is looked for is computed once, and not for each piece.
  const isIndexed = (asked: SqlFragment) => sql`${document} @@ (select ${asked})`;
  const isRead = reduceText(sql, query, { all: sql`and`, any: sql`or` }, (part) => {
    const isPartIndexed = isIndexed(partInSql(sql, part, false));
    return part.isPhrase
      ? sql`(${isPartIndexed} or strpos(${words}, (select search_words(${part.text}))) > 0)`
      : isPartIndexed;
  });
  return sql`(
    ${isIndexed(toTextQuery(sql, query, true))}
    and (${isIndexed(whole)} or (${words} is not null and ${isRead}))
  )`;
}

/** A word, or several that are next to each other. */
interface Part {
  text: string;
  isPhrase: boolean;
  isUnfinished: boolean;
}

function partsOfWords({ text, isPhrase, isUnfinished }: Words): Part[] {
  if (isUnfinished) return [{ text, isPhrase: false, isUnfinished }];
  const parts = isPhrase ? [text] : splitWords(text);
  return parts.map((part) => ({ text: part, isPhrase: !ONE_WORD.test(part), isUnfinished }));
}

function hasPhrase(query: Query): boolean {
  if (query.type === 'all' || query.type === 'any') return query.of.some(hasPhrase);
  return query.type === 'words' && partsOfWords(query).some(({ isPhrase }) => isPhrase);
}

/** Writes each part of a query of words in SQL, and joins them by operators. */
function reduceText(
  sql: Queryable,
  query: Query,
  operators: { all: SqlFragment; any: SqlFragment },
  write: (part: Part) => SqlFragment,
): SqlFragment {
  const join = (parts: SqlFragment[], operator: SqlFragment) =>
    sql`(${parts.reduce((some, more) => sql`${some} ${operator} ${more}`)})`;
  if (query.type === 'words') return join(partsOfWords(query).map(write), operators.all);
  if (query.type !== 'all' && query.type !== 'any') throw new Error(`${query.type}: is no text.`);
  const parts = query.of.map((part) => reduceText(sql, part, operators, write));
  return join(parts, operators[query.type]);
}

function partInSql(
  sql: Queryable,
  { text, isPhrase, isUnfinished }: Part,
  isScattered: boolean,
): SqlFragment {
  if (isUnfinished) return sql`to_tsquery('simple', quote_literal(search_form(${text})) || ':*')`;
  return isPhrase && isScattered
    ? sql`plainto_tsquery('simple', search_words(${text}))`
    : sql`phraseto_tsquery('simple', search_words(${text}))`;
}

/**
 * A query to the text index for the words of an author's name, one after the other; the last one may be unfinished. Only
 * names of authors have the weight B.
 */
export function toAuthorQuery(sql: Queryable, name: string): SqlFragment {
  const words = splitWords(name);
  const parts = words.map((word, index) => {
    const weight = index === words.length - 1 ? sql`':*B'` : sql`':B'`;
    return sql`quote_literal(search_form(${word})) || ${weight}`;
  });
  return sql`to_tsquery('simple', ${parts.reduce((some, more) => sql`${some} || ' <-> ' || ${more}`)})`;
}
