/** How far into a page a browser looks for a declaration of its encoding. */
const PRESCAN_BYTES = 1024;

/**
 * The text of a page, in the encoding that it has: a byte order mark goes before what the server says, which goes
 * before what the page says of itself. Without any of them it is UTF-8 if it can be, and Windows-1252 otherwise.
 * Bytes that fit nowhere become U+FFFD.
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

/** `<meta charset>`, `<meta http-equiv>` and the XML declaration, which all write the name in ASCII. */
function fromMarkup(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, PRESCAN_BYTES));
  const xml = /^<\?xml[^>]*?encoding\s*=\s*["']([^"']+)/i.exec(head)?.[1];
  const meta = /<meta[^>]*?charset\s*=\s*["']?\s*([^\s"'/>;]+)/i.exec(head)?.[1];
  const charset = known(meta) ?? known(xml);
  // A declaration that could be read as ASCII cannot be in UTF-16; browsers take it for UTF-8.
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

/** The encoding's one name, or undefined for one that does not exist. */
function known(label: string | undefined): string | undefined {
  if (!label) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}
