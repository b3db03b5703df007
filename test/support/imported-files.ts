import { expect, test } from 'vitest';
import type { Recognised } from '../../web/src/transfer/formats/entry.ts';
import { recognise } from '../../web/src/transfer/formats/recognise.ts';

/** A file as a program writes it, and the entries that are read. */
export interface ImportedFile {
  content: string | Buffer;
  format: string;
  entries: object[];
}

export const SAVED = Date.parse('2024-03-01T12:00:00Z');
export const SECONDS = SAVED / 1000;
export const A = 'https://example.org/a?x=1&y=2';
export const B = 'https://example.com/b';
export const FINISHED = { progress: 1, finished_at: '2024-03-01T12:00:00.000Z' };

/** A highlight as it is sent to the server. */
export const mark = (exact: string, fields: object = {}) => ({
  target: { fragment_idx: 0, selector: [{ type: 'TextQuoteSelector', exact }] },
  color: 'yellow',
  ...fields,
});

export const readImported = (content: string | Buffer): Recognised =>
  recognise(new Uint8Array(Buffer.from(content)));

export function testImportedFiles(files: Record<string, ImportedFile>) {
  test.each(Object.entries(files))(
    '%s is recognised by its content',
    (_name, { content, format, entries }) => {
      const found = readImported(content);
      expect(found.format).toBe(format);
      expect(found.entries).toHaveLength(entries.length);
      const none = { note: undefined, highlights: undefined };
      expect(found.entries.map((entry) => ({ ...none, ...entry }))).toMatchObject(entries);
    },
  );
}
