import type { Queryable } from '../../../../platform/database/database.ts';
import type { SqlFragment } from '../../../../platform/database/statement.ts';
import type { Query, Words } from './tree.ts';

/** The characters that `search_form` in the database separates into words of their own. */
const UNSPACED = '\\u0e00-\\u0e7f\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff';
const SPACED_WORD = `(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}])`;
/** Two Latin letters are the prefix of so many words that finding all of them takes seconds in a large database. */
const UNFINISHED = new RegExp(`^(?![\\x00-\\x7f]{1,2}$)${SPACED_WORD}{2,}$`, 'u');
/** In scripts without spaces between words, a run of characters counts as one word, and is searched as a phrase. */
const SHOWN = new RegExp(`[${UNSPACED}]+|${SPACED_WORD}+`, 'gu');
/** Marks without a letter, which `search_form` removes, are no word. */
const LETTER = /[\p{L}\p{N}]/u;
const PUNCTUATION = /[!-/:-@[-`{-~]/g;

/** The most words that are highlighted. Each is searched in the whole text of every hit. */
const MOST_SHOWN = 20;

/** Whether a word may be the beginning of a longer one: only letters and digits. */
export function isUnfinishedWord(word: string): boolean {
  return UNFINISHED.test(word);
}

/** Returns the words to highlight, as they were typed, without the excluded ones. */
export function wordsToShow(query: Query): string[] {
  const words = wantedWords(query).flatMap(({ text }) => splitWords(text));
  return [...new Set(words)].slice(0, MOST_SHOWN);
}

function splitWords(text: string): string[] {
  return (text.match(SHOWN) ?? []).filter((word) => LETTER.test(word));
}

function wantedWords(query: Query): Words[] {
  if (query.type === 'all' || query.type === 'any') return query.of.flatMap(wantedWords);
  return query.type === 'words' ? [query] : [];
}

/** A query to the text index, for a query of which `isText` is true. PostgreSQL leaves out what has no words. */
export function toTextQuery(sql: Queryable, query: Query): SqlFragment {
  if (query.type === 'words') return wordsInSql(sql, query);
  if (query.type !== 'all' && query.type !== 'any') throw new Error(`${query.type}: is no text.`);
  const both = query.type === 'all' ? sql`&&` : sql`||`;
  const parts = query.of.map((part) => toTextQuery(sql, part));
  return sql`(${parts.reduce((some, more) => sql`${some} ${both} ${more}`)})`;
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

function wordsInSql(sql: Queryable, { text, isPhrase, isUnfinished }: Words): SqlFragment {
  if (isUnfinished) return sql`to_tsquery('simple', quote_literal(search_form(${text})) || ':*')`;
  const parts = isPhrase ? [text.replace(PUNCTUATION, ' ')] : splitWords(text);
  return sql`websearch_to_tsquery('simple', search_form(${parts.map((part) => `"${part}"`).join(' ')}))`;
}
