/**
 * Compares the order of the text with that of `pdftotext`, a mature program for the same purpose. The expected texts were
 * made once from the documents below, with poppler 22.12.0: `pdftotext -nopgbrk -enc UTF-8 NAME.pdf NAME.txt`.
 */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { useExtractors } from '../../../../test/support/extractors.ts';
import { IN_MARGINS, PDF_DOCUMENTS } from '../../../../test/support/fixtures/pdf-documents.ts';

const extractors = useExtractors();
const FOLDER = new URL('../../../../test/support/fixtures/pdf-text/', import.meta.url);

/** The words of a text. Both programs put spaces differently around superscripts and changes of direction. */
function wordsOf(text: string): string[] {
  return text
    .replaceAll(/[\u202a-\u202e\u200e\u200f]/g, '')
    .replaceAll(/(\p{L}[.,;:])(?=\d)/gu, '$1 ')
    .replaceAll(/([0-9A-Za-z])(?=\p{Script=Hebrew})/gu, '$1 ')
    .split(/\s+/)
    .filter((word) => word !== '');
}

test.each(Object.entries(PDF_DOCUMENTS))(
  '%s has the words of pdftotext in the same order',
  async (name, make) => {
    const expected = await readFile(new URL(`${name}.txt`, FOLDER), 'utf8');
    const withoutMargins = expected
      .split(/[\n\f]/)
      .filter((line) => !IN_MARGINS.test(line.trim()))
      .join('\n');
    const { plain_text } = await extractors.pdf({ bytes: make() });
    expect(wordsOf(plain_text)).toEqual(wordsOf(withoutMargins));
  },
);

test('words that were divided at the end of a line are whole, and headers and footers are left out', async () => {
  const { plain_text } = await extractors.pdf({ bytes: PDF_DOCUMENTS.journal?.() ?? Buffer.alloc(0) });
  expect(plain_text).toContain('withdraws again');
  expect(plain_text).not.toMatch(/\w- |Volume 12|Estuary Quarterly|- \d -/);
  expect(plain_text.match(/Two Calendars on One Coast/g)).toHaveLength(1);
});
