/** The number of bytes in which browsers look for a declaration of the encoding. */
const PRESCAN_BYTES = 1024;

/**
 * Decodes the text of a page. The encoding comes from the byte order mark, the header, or the page itself, in this order
 * of precedence. Otherwise it is UTF-8 if the bytes are valid UTF-8, and Windows-1252 if not. Invalid bytes become U+FFFD.
 */
export function decodeText(
  bytes: Uint8Array,
  contentType: string | undefined,
): { text: string; charset: string } {
  const charset = byteOrderMark(bytes) ?? fromHeader(contentType) ?? fromMarkup(bytes) ?? guess(bytes);
  return { text: new TextDecoder(charset).decode(bytes), charset };
}

function byteOrderMark(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return undefined;
}

function fromHeader(contentType: string | undefined): string | undefined {
  return known(/;\s*charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType ?? '')?.[1]);
}

/** Reads `<meta charset>`, `<meta http-equiv>` or the XML declaration, which are all in ASCII. */
function fromMarkup(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, PRESCAN_BYTES));
  const xml = /^<\?xml[^>]*?encoding\s*=\s*["']([^"']+)/i.exec(head)?.[1];
  const meta = /<meta[^>]*?charset\s*=\s*["']?\s*([^\s"'/>;]+)/i.exec(head)?.[1];
  const charset = known(meta) ?? known(xml);
  // A page whose declaration is readable as ASCII cannot be UTF-16; browsers use UTF-8 instead.
  return charset?.startsWith('utf-16') ? 'utf-8' : charset;
}

function guess(bytes: Uint8Array): string {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return 'utf-8';
  } catch {
    return 'windows-1252';
  }
}

/** Returns the canonical name of an encoding; undefined when it does not exist. */
function known(label: string | undefined): string | undefined {
  if (!label) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}
