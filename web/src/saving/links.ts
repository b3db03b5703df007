/** An address without a scheme: example.com/article. */
const BARE = /^[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)*\.\p{L}{2,}(:\d+)?(\/\S*)?$/u;
const isAddress = (word: string) => /^https?:\/\//i.test(word) && URL.canParse(word);

/** Finds all addresses in a text, each once, in order. */
export function findLinks(text: string): string[] {
  const words = text.split(/[\s<>"]+/).filter(Boolean);
  if (words.every((word) => isAddress(word) || BARE.test(word))) {
    return [...new Set(words.map((word) => (isAddress(word) ? word : `https://${word}`)))];
  }
  return [...new Set(words.map(withoutPunctuation).filter(isAddress))];
}

/** Removes the punctuation around an address in a sentence. A bracket stays if it was opened inside the address. */
function withoutPunctuation(word: string): string {
  const address = word.replace(/^[([{']+/, '');
  return address.replace(address.includes('(') ? /[\].,;:!?']+$/ : /[)\]}.,;:!?']+$/, '');
}

/** An address without scheme, `www.` and query. */
export function shortLink(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host.replace(/^www\./, '')}${pathname === '/' ? '' : pathname}`;
}

/** Whether a text consists only of addresses. Pasting a sentence that mentions one does not save it. */
export function isOnlyLinks(text: string): boolean {
  const words = text.trim().split(/\s+/);
  return words.length > 0 && words.every((word) => /^https?:\/\//i.test(word) && URL.canParse(word));
}
