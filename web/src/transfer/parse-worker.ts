import { UnreadableFile, withFileName } from './formats/entry.ts';
import { recognise, recogniseText } from './formats/recognise.ts';
import { type ParsedImport, parseImport } from './parsed-import.ts';

export type ParseRequest = { files: File[] } | { text: string };
export type ParseAnswer = { parsed: ParsedImport } | { message: string };

const MAX_BYTES = 300 * 1024 * 1024;

async function answer(request: ParseRequest): Promise<ParseAnswer> {
  if ('text' in request) return { parsed: parseImport([recogniseText(request.text)]) };
  const { files } = request;
  const recognised = [];
  for (const file of files) {
    // A file that is too large is not even loaded.
    const bytes = file.size > MAX_BYTES ? undefined : new Uint8Array(await file.arrayBuffer());
    const read = () => (bytes ? recognise(bytes) : tooLarge());
    recognised.push(files.length > 1 ? withFileName(file.name, read) : read());
  }
  return { parsed: parseImport(recognised) };
}

function tooLarge(): never {
  throw new UnreadableFile('The file is larger than 300 MB. Export it in parts.');
}

/** Turns every error into a message. */
async function answerOrMessage(request: ParseRequest): Promise<ParseAnswer> {
  try {
    return await answer(request);
  } catch (error) {
    if (error instanceof UnreadableFile) return { message: error.message };
    return { message: 'The file could not be read. Export it again and retry.' };
  }
}

self.onmessage = async ({ data }: MessageEvent<ParseRequest>) => {
  self.postMessage(await answerOrMessage(data));
};
