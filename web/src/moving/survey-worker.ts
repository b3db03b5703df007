import { UnreadableFile } from './formats/entry.ts';
import { recognise, recogniseText } from './formats/recognise.ts';
import { type Survey, survey } from './survey.ts';

/** Files, or a text that was pasted. */
export type SurveyRequest = { files: File[] } | { text: string };
export type SurveyAnswer = { survey: Survey } | { message: string };

const MOST_BYTES = 300 * 1024 * 1024;

async function answer(request: SurveyRequest): Promise<SurveyAnswer> {
  if ('text' in request) return { survey: survey([recogniseText(request.text)]) };
  const recognised = [];
  for (const file of request.files) recognised.push(await read(file, request.files.length > 1));
  return { survey: survey(recognised) };
}

async function read(file: File, isOneOfSeveral: boolean) {
  try {
    if (file.size > MOST_BYTES)
      throw new UnreadableFile('The file has more than 300 MB. Export it in parts.');
    return await recognise(new Uint8Array(await file.arrayBuffer()));
  } catch (error) {
    if (error instanceof UnreadableFile && isOneOfSeveral)
      throw new UnreadableFile(`${file.name}: ${error.message}`);
    throw error;
  }
}

/** A fault of ours is a sentence, too: whoever waits hears it. */
async function answerInWords(request: SurveyRequest): Promise<SurveyAnswer> {
  try {
    return await answer(request);
  } catch (error) {
    if (error instanceof UnreadableFile) return { message: error.message };
    return { message: 'The file could not be read. Export it again, and try once more.' };
  }
}

self.onmessage = async ({ data }: MessageEvent<SurveyRequest>) => {
  self.postMessage(await answerInWords(data));
};
