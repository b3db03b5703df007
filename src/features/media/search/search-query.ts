/** The characters that `search_form` in the database separates into words of their own. */
const UNSPACED = '\\u0e00-\\u0e7f\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff';
const UNSPACED_RUN = new RegExp(`[${UNSPACED}]+`, 'g');
/**
 * The last word, which is still being typed: only letters and digits, and no minus before it. Two Latin letters are the
 * prefix of so many words that finding all of them takes seconds in a large database.
 */
const UNFINISHED = new RegExp(
  `(^|\\s)(?![\\x00-\\x7f]{1,2}$)((?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}]){2,})$`,
  'u',
);

/** The most words that are highlighted. Each is searched in the whole text of every hit. */
const MOST_SHOWN = 20;

/** A parsed search query. */
export interface ParsedQuery {
  /** In the syntax of `websearch_to_tsquery`: words, "phrases", -without, or. */
  web: string;
  /** The last word, as a prefix. */
  prefix: string | null;
  /** Whether one of the two is enough; otherwise both must match. */
  isAlternative: boolean;
  /** The words to highlight, as they were typed. */
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

/** Keeps only words, quotation marks, and a minus directly before one of them. */
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

/** In scripts without spaces between words, a run of characters is a phrase. */
function withPhrases(text: string): string {
  return text.replace(UNSPACED_RUN, ' "$&" ').replace(/- "/g, ' -"');
}

/** Returns the wanted words, without the excluded ones. */
function wordsToShow(typed: string): string[] {
  const wanted = typed.replace(/(^|\s)-("[^"]*"?|\S+)/g, ' ');
  const words =
    wanted.match(new RegExp(`[${UNSPACED}]+|(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}])+`, 'gu')) ?? [];
  return [...new Set(words)].filter((word) => !/^or$/i.test(word)).slice(0, MOST_SHOWN);
}
