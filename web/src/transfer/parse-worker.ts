import { UnreadableFile } from './formats/entry.ts';
import { recognise, recogniseText } from './formats/recognise.ts';
import { type ParsedImport, parseImport } from './parsed-import.ts';

export type ParseRequest = { files: File[] } | { text: string };
export type ParseAnswer = { parsed: ParsedImport } | { message: string };

const MAX_BYTES = 300 * 1024 * 1024;

async function answer(request: ParseRequest): Promise<ParseAnswer> {
  if ('text' in request) return { parsed: parseImport([recogniseText(request.text)]) };
  const recognised = [];
  for (const file of request.files) recognised.push(await read(file, request.files.length > 1));
  return { parsed: parseImport(recognised) };
}

async function read(file: File, isOneOfSeveral: boolean) {
  try {
    if (file.size > MAX_BYTES)
      throw new UnreadableFile('The file is larger than 300 MB. Export it in parts.');
    return recognise(new Uint8Array(await file.arrayBuffer()));
  } catch (error) {
    if (error instanceof UnreadableFile && isOneOfSeveral)
      throw new UnreadableFile(`${file.name}: ${error.message}`);
    throw error;
  }
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
