/** The characters that `search_form` in the database makes stand alone. */
const UNSPACED = '\\u0e00-\\u0e7f\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff';
const UNSPACED_RUN = new RegExp(`[${UNSPACED}]+`, 'g');
/**
 * The word at the end that is still being typed: not behind a minus, and nothing but letters and digits. Two Latin letters
 * begin so many words that finding all of them takes seconds in a large database.
 */
const UNFINISHED = new RegExp(
  `(^|\\s)(?![\\x00-\\x7f]{1,2}$)((?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}]){2,})$`,
  'u',
);

/** Each is looked for in the whole text of every hit. */
const MOST_SHOWN = 20;

/** What somebody typed, taken apart for the database. */
export interface ParsedQuery {
  /** In the syntax of web searches: words, "phrases", -without, one or another. */
  web: string;
  /** The last word, which may go on. */
  prefix: string | null;
  /** How the two belong together. */
  isAlternative: boolean;
  /** What to show as matches, as it was typed. */
  words: string[];
}

export function parseQuery(typed: string): ParsedQuery {
  const hasOpenPhrase = (typed.split('"').length - 1) % 2 === 1;
  const unfinished = hasOpenPhrase ? null : UNFINISHED.exec(typed);
  const prefix = unfinished?.[2] ?? null;
  const isWord = prefix !== null && !/^or$/i.test(prefix);
  const rest = isWord ? typed.slice(0, typed.length - prefix.length) : typed;
  const isAlternative = isWord && /\sor\s+$/i.test(rest);
  return {
    web: plainly(isAlternative ? rest.replace(/or\s+$/i, '') : rest),
    prefix: isWord ? prefix : null,
    isAlternative,
    words: wordsToShow(typed),
  };
}

/** Words, quotation marks, and a minus where it stands before one of them. */
function plainly(text: string): string {
  return text
    .split('"')
    .map((part, index) =>
      index % 2 === 1
        ? part.replace(/[!-/:-@[-`{-~]/g, ' ')
        : withPhrases(part.replace(/[!-,./:-@[-`{-~]/g, ' ')),
    )
    .join('"')
    .replace(/(?<=[^\s"])-|-(?![\p{L}\p{N}"])/gu, ' ');
}

/** Where no spaces are between words, a run of characters is a phrase of them. */
function withPhrases(text: string): string {
  return text.replace(UNSPACED_RUN, ' "$&" ').replace(/- "/g, ' -"');
}

/** Everything that is asked for, without what must not be there. */
function wordsToShow(typed: string): string[] {
  const wanted = typed.replace(/(^|\s)-("[^"]*"?|\S+)/g, ' ');
  const words =
    wanted.match(new RegExp(`[${UNSPACED}]+|(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}])+`, 'gu')) ?? [];
  return [...new Set(words)].filter((word) => !/^or$/i.test(word)).slice(0, MOST_SHOWN);
}
