/**
 * Parses a URL. Returns undefined for one that is invalid.
 *
 * `URL.canParse` must not be used instead: in Node.js 20, once it is compiled, it takes a URL with an umlaut for invalid.
 */
export function parseUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
