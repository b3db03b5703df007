/** The number of bytes in which browsers look for a declaration of the encoding. */
const PRESCAN_BYTES = 1024;

/** Where a late declaration is still found. Some pages have long scripts and comments before it. */
const LATE_BYTES = 64 * 1024;

/**
 * Decodes the text of a page. The encoding comes from the byte order mark, the header, or the page itself, in this order
 * of precedence. A text without any of these is UTF-8 if its bytes are valid UTF-8. Other bytes have the encoding of a late
 * declaration in the page, or Windows-1252. Invalid bytes become U+FFFD.
 */
export function decodeText(
  bytes: Uint8Array,
  contentType: string | undefined,
): { text: string; charset: string } {
  const charset =
    byteOrderMark(bytes) ?? fromHeader(contentType) ?? fromMarkup(bytes, PRESCAN_BYTES) ?? guess(bytes);
  const decoder = new TextDecoder(charset);
  // In one call, Node.js 20 decodes Windows-1252 as Latin-1 and loses quotes, dashes and the euro sign.
  return { text: decoder.decode(bytes, { stream: true }) + decoder.decode(), charset };
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

const COMMENT = /<!--.*?(?:-->|$)/gs;

/** Takes linear time: a match stops at the next tag, and the spaces and quotes around `=` match in one way only. */
const META_CHARSET = /<meta[^<>]*?charset\s*=[\s"']*([^\s"'/<>;]+)/i;

/** Reads `<meta charset>`, `<meta http-equiv>` or the XML declaration, which are all in ASCII. */
function fromMarkup(bytes: Uint8Array, length: number): string | undefined {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, length)).replace(COMMENT, '');
  const xml = /^<\?xml[^>]*?encoding\s*=\s*["']([^"']+)/i.exec(head)?.[1];
  const meta = META_CHARSET.exec(head)?.[1];
  const charset = known(meta) ?? known(xml);
  // A page whose declaration is readable as ASCII cannot be UTF-16; browsers use UTF-8 instead.
  return charset?.startsWith('utf-16') ? 'utf-8' : charset;
}

function guess(bytes: Uint8Array): string {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return 'utf-8';
  } catch {
    return fromMarkup(bytes, LATE_BYTES) ?? 'windows-1252';
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
