import { expect, test } from 'vitest';
import { makeZip } from '../../../../test/support/fixtures/zip.ts';
import { A, B, mark, SAVED, testImportedFiles } from '../../../../test/support/imported-files.ts';
import { notebookIn } from './omnivore.ts';

const ITEM = {
  id: '1',
  slug: 'a-1',
  title: 'A',
  description: null,
  author: null,
  url: A,
  state: 'Active',
  readingProgress: 40,
  thumbnail: null,
  labels: ['x'],
  savedAt: '2024-03-01T12:00:00.000Z',
  updatedAt: '2024-03-01T12:00:00.000Z',
  publishedAt: null,
};

testImportedFiles({
  'Omnivore’s archive': {
    content: makeZip([
      {
        name: 'metadata_0_to_2.json',
        content: JSON.stringify([ITEM, { ...ITEM, slug: 'b', url: B, labels: null }]),
      },
      {
        name: 'highlights/a-1.md',
        content: '> One\n> \nline \n\n#idea\n\nMy note\n\n> Two \n\nOn the page\n\n',
      },
      { name: 'content/a-1.html', content: `<a href="${B}">not saved</a>` },
    ]),
    format: 'Omnivore',
    entries: [
      {
        url: A,
        title: 'A',
        savedAt: SAVED,
        state: 'Active',
        tags: ['x'],
        is_archived: false,
        reading: { progress: 0.4, finished_at: null },
        note: 'On the page',
        highlights: [mark('One\n\nline', { note: '#idea\n\nMy note' }), mark('Two')],
      },
      { url: B, tags: [], note: '', highlights: [] },
    ],
  },
  'an archive that was packed again in a folder': {
    content: makeZip([
      { name: 'export/metadata_0_to_1.json', content: JSON.stringify([{ ...ITEM, state: 'Archived' }]) },
      { name: 'export/highlights/a-1.md', content: '> One ' },
    ]),
    format: 'Omnivore',
    entries: [{ url: A, is_archived: true, highlights: [mark('One')] }],
  },
  'an early export of Omnivore': {
    content: JSON.stringify([{ ...ITEM, state: 'ARCHIVED' }]),
    format: 'Omnivore',
    entries: [{ url: A, state: 'ARCHIVED', is_archived: true }],
  },
});

test.each([
  ['a quote of several lines', '> one\ntwo ', { note: '', highlights: [{ quote: 'one\ntwo', note: '' }] }],
  [
    'a note of the item at the beginning',
    'Mine\n\n\n\n> one ',
    { note: 'Mine', highlights: [{ quote: 'one', note: '' }] },
  ],
  [
    'a note of the item after that of a highlight',
    '> one \n\nWhy\n\nMine\n\n\n\n> two ',
    {
      note: 'Mine',
      highlights: [
        { quote: 'one', note: 'Why' },
        { quote: 'two', note: '' },
      ],
    },
  ],
  [
    'a note of two paragraphs',
    '> one \r\n\r\nWhy\r\n\r\n# Because',
    { note: '', highlights: [{ quote: 'one', note: 'Why\n\n# Because' }] },
  ],
  ['nothing', '', { note: '', highlights: [] }],
])('the highlights of Omnivore can have %s', (_name, text, expected) => {
  expect(notebookIn(text)).toEqual(expected);
});
