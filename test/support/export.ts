import type { TestApp } from './app.ts';

/** Starts an export and reads it in parts. */
export async function openExport(app: TestApp, key: string, path: string) {
  const response = await fetch(app.url + path, { headers: { 'x-nexus-api-key': key } });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) throw new Error('An export has a body.');
  return {
    status: response.status,
    headers: response.headers,
    /** Reads at least this many characters, or to the end. */
    async read(atLeast = Number.POSITIVE_INFINITY): Promise<string> {
      let text = '';
      while (text.length < atLeast) {
        const { value, done } = await reader.read();
        if (done) break;
        text += value;
      }
      return text;
    },
  };
}
