/** Bare addresses are common where people paste: example.com/article. */
const BARE = /^[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)*\.\p{L}{2,}(:\d+)?(\/\S*)?$/u;
const isAddress = (word: string) => /^https?:\/\//i.test(word) && URL.canParse(word);

/** Every address in a text, each once, in order. */
export function findLinks(text: string): string[] {
  const words = text.split(/[\s<>"]+/).filter(Boolean);
  if (words.every((word) => isAddress(word) || BARE.test(word))) {
    return [...new Set(words.map((word) => (isAddress(word) ? word : `https://${word}`)))];
  }
  return [...new Set(words.map(withoutPunctuation).filter(isAddress))];
}

/** In a sentence, what stands around an address is not part of it; a bracket is if it was opened inside. */
function withoutPunctuation(word: string): string {
  const address = word.replace(/^[([{']+/, '');
  return address.replace(address.includes('(') ? /[\].,;:!?']+$/ : /[)\]}.,;:!?']+$/, '');
}

/** An address as people read it. */
export function shortLink(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host.replace(/^www\./, '')}${pathname === '/' ? '' : pathname}`;
}

/** Only whole addresses: a sentence that mentions one is no request to save it. */
export function isOnlyLinks(text: string): boolean {
  const words = text.trim().split(/\s+/);
  return words.length > 0 && words.every((word) => /^https?:\/\//i.test(word) && URL.canParse(word));
}
