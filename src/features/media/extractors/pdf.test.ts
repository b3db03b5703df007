import { expect, test } from 'vitest';
import { failureOf, useExtractors } from '../../../../test/support/extractors.ts';
import { SENTENCES } from '../../../../test/support/fixtures/pages.ts';
import { makePdf, type PdfOptions } from '../../../../test/support/fixtures/pdf.ts';

const extractors = useExtractors();
const extract = (options: PdfOptions) => extractors.pdf({ bytes: makePdf(options) });

test('a PDF has a fragment for every page, with its paragraphs', async () => {
  const pdf = await extract({
    pages: [['First page,', 'two lines & <tags>'], ['Second page']],
    title: 'On Lamps',
    author: 'A. Writer',
  });
  expect(pdf).toMatchObject({
    title: 'On Lamps',
    page_count: 2,
    plain_text: 'First page, two lines & <tags>\nSecond page',
    metadata: { author: 'A. Writer', published: '2024-02-29', word_count: 7 },
  });
  expect(pdf.fragments).toMatchObject([
    {
      idx: 0,
      html_sanitized: '<p>First page, two lines &amp; &lt;tags&gt;</p>',
      canonical_text: 'First page, two lines & <tags>',
    },
    { idx: 1, canonical_text: 'Second page' },
  ]);
});

test.each(Object.entries(SENTENCES))('text in %s is unchanged', async (_language, sentence) => {
  const { plain_text } = await extract({ pages: [[sentence]] });
  expect(plain_text.replaceAll(/\s/g, '')).toBe(sentence.normalize('NFC').replaceAll(/\s/g, ''));
});

test('an East Asian font without its own character map is read with the standard maps', async () => {
  expect((await extract({ pages: [['图书馆']], font: 'chinese' })).plain_text).toBe('图书馆');
});

const ROTATIONS = [0, 90, 180, 270] as const;
test.each(ROTATIONS.flatMap((rotation) => [false, true].map((isSideways) => ({ rotation, isSideways }))))(
  'a page is read in the direction of its text: %o',
  async (turn) => {
    const { plain_text } = await extract({
      pages: [['The first line', 'and the second line,', 'and more.']],
      ...turn,
    });
    expect(plain_text).toBe('The first line and the second line, and more.');
  },
);

test('outline entries link to pages', async () => {
  const { outline } = await extract({
    pages: [['a'], ['b'], ['c']],
    outline: [
      { title: 'Beginning', page: 0 },
      { title: 'Schluß', page: 2 },
    ],
  });
  expect(outline).toEqual([
    { title: 'Beginning', fragment_idx: 0, depth: 0 },
    { title: 'Schluß', fragment_idx: 2, depth: 0 },
  ]);
});

test('a scanned PDF has pages without text', async () => {
  const { page_count, fragments, plain_text, metadata } = await extract({ pages: [[], []] });
  expect({ page_count, plain_text, words: metadata.word_count }).toEqual({
    page_count: 2,
    plain_text: '',
    words: 0,
  });
  expect(fragments).toMatchObject([{ html_sanitized: '' }, { html_sanitized: '' }]);
});

test('a PDF with a password has its own error code', async () => {
  expect(await failureOf(extract({ isEncrypted: true }))).toMatchObject({
    code: 'E_PDF_PASSWORD_REQUIRED',
    isTransient: false,
  });
});

test.each([
  ['empty', Buffer.alloc(0)],
  ['of another type', Buffer.from('<html></html>')],
  ['only a header', Buffer.from('%PDF-1.7\n')],
  [
    'without pages',
    Buffer.from(
      makePdf()
        .toString('latin1')
        .replace('/Kids [7 0 R]', '/Kids [99 0 R]')
        .replace('/Type /Page ', '/Type /Pag ')
        .replace('/Count 1', '/Count 9'),
      'latin1',
    ),
  ],
  ['random bytes after a header', Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(5000, 'xyz')])],
])('a file that is %s is invalid', async (_what, bytes) => {
  expect(await failureOf(extractors.pdf({ bytes: new Uint8Array(bytes) }))).toMatchObject({
    code: 'E_PDF_INVALID',
  });
});

test('a file without its end is repaired', async () => {
  const whole = makePdf({ pages: [['still here']] });
  const cut = whole.subarray(0, whole.indexOf('startxref'));
  const outcome = await extractors.pdf({ bytes: new Uint8Array(cut) }).catch((error) => error);
  expect(outcome).toMatchObject({ plain_text: 'still here' });
});
