import type { Survey } from './survey.ts';
import type { SurveyAnswer, SurveyRequest } from './survey-worker.ts';

/** Looks through what somebody brings along, in a thread of its own: fifty thousand links must not freeze the page. */
export function surveyOf(request: SurveyRequest, signal: AbortSignal): Promise<Survey> {
  const worker = new Worker(new URL('./survey-worker.ts', import.meta.url), { type: 'module' });
  return new Promise<Survey>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    worker.onmessage = ({ data }: MessageEvent<SurveyAnswer>) => {
      if ('survey' in data) resolve(data.survey);
      else reject(new Error(data.message));
    };
    worker.onerror = () => reject(new Error('The file is too large for this browser. Export it in parts.'));
    worker.postMessage(request);
  }).finally(() => worker.terminate());
}
