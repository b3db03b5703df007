import { unzipSync } from 'fflate';
import { decode } from './decode.ts';
import { UnreadableFile } from './entry.ts';

const WANTED = /\.(csv|json)$|(^|\/)highlights\/[^/]+\.md$/i;
/** Files that are left out: those that macOS adds, and the saved pages of Readeck. */
const UNWANTED = /^__MACOSX\/|\/container\//;
const MAX_BYTES = 300 * 1024 * 1024;
const UNKNOWN_COMPRESSION = 14;

export const isZip = (bytes: Uint8Array) =>
  bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4;

export interface PackedFile {
  name: string;
  text: string;
}

/**
 * Returns the CSV and JSON files of an archive, and the highlights of Omnivore. Other files, such as saved pages, contain
 * links that nobody saved.
 */
export function readZip(bytes: Uint8Array, wanted = WANTED): PackedFile[] {
  let size = 0;
  const isWanted = ({ name, originalSize }: { name: string; originalSize: number }) => {
    if (!wanted.test(name) || UNWANTED.test(name)) return false;
    size += originalSize;
    if (size > MAX_BYTES)
      throw new UnreadableFile(
        'The archive contains more than 300 MB. Unpack it and choose the files in it.',
      );
    return true;
  };
  try {
    const files = unzipSync(bytes, { filter: isWanted });
    return Object.entries(files).map(([name, content]) => ({
      name,
      text: decode(content),
    }));
  } catch (error) {
    if (error instanceof UnreadableFile) throw error;
    if ((error as { code?: number }).code === UNKNOWN_COMPRESSION)
      throw new UnreadableFile(
        'The archive uses an unsupported compression. Unpack it and choose the files in it.',
      );
    throw new UnreadableFile('The archive is damaged or incomplete. Download it again.');
  }
}
