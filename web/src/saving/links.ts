/** Bare addresses are common where people paste: example.com/article. */
const BARE = /^[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)+(:\d+)?(\/\S*)?$/u;
const TRAILING = /[)\]}>.,;!?'"]+$/;

/** Every address in a text, each once, in order. */
export function findLinks(text: string): string[] {
  const found = text
    .split(/[\s<>"]+/)
    .map((word) => (URL.canParse(word) ? word : word.replace(TRAILING, '')))
    .map((word) => (BARE.test(word) ? `https://${word}` : word))
    .filter((word) => /^https?:\/\//i.test(word) && URL.canParse(word));
  return [...new Set(found)];
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
