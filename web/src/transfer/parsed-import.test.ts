import { expect, test } from 'vitest';
import { batchesOf } from './batches.ts';
import { tagOfFolder } from './details.ts';
import { highlightOf, highlightsOf } from './formats/entry.ts';
import { recogniseText } from './formats/recognise.ts';
import { resultCsv } from './import-items.ts';
import { readImportParams } from './import-params.ts';
import { parseImport } from './parsed-import.ts';

test('duplicates are imported once, other entries are rejected with a reason, the oldest link comes first', () => {
  const found = parseImport([
    {
      format: 'Bookmarks',
      entries: [
        { url: 'https://example.org/new', savedAt: 3, folder: 'B', tags: ['x'] },
        { url: 'https://example.org/old#part', savedAt: 1, folder: 'A', tags: ['x', 'y'] },
        { url: 'HTTPS://EXAMPLE.org/old', savedAt: 2, folder: 'A' },
        { url: 'place:sort=8' },
        { url: 'javascript:alert(1)' },
        { url: 'https://user:secret@example.org/' },
        { url: `https://example.org/${'x'.repeat(2048)}` },
        { url: 'no address' },
        { url: '' },
      ],
    },
  ]);
  expect(found).toMatchObject({
    urls: ['https://example.org/old#part', 'https://example.org/new'],
    folders: [
      { name: 'A', count: 1, isOwn: true },
      { name: 'B', count: 1, isOwn: true },
    ],
    duplicates: 1,
    refusedCount: 6,
    kept: { tags: 2 },
  });
  expect([...found.folderOf]).toEqual([0, 1]);
  expect([...found.savedAt]).toEqual([1, 3]);
  expect(found.refused.map(({ reason }) => reason)).toEqual([
    'Does not start with http or https.',
    'Does not start with http or https.',
    'Contains a username or password.',
    'Longer than 2,048 characters.',
    'Not a valid link.',
    'Not a link, but a note or a file.',
  ]);
});

test('what programs know is fitted to the limits of the server, and merged for the same link', () => {
  const mark = (exact: string) => highlightsOf([highlightOf(exact)]);
  const found = parseImport([
    {
      format: 'Table',
      entries: [
        {
          url: 'https://example.org/a',
          title: 'https://www.example.org/a',
          tags: ['a, "b"', 'x'.repeat(99), '\u0958'.repeat(40), '/', 'X/ y/'],
        },
        {
          url: 'https://example.org/a#2',
          title: ' A\ntitle ',
          tags: ['x/y'],
          note: 'One\0',
          highlights: mark('q1'),
        },
        { url: 'https://example.org/a', note: 'Two', is_favourite: true, highlights: mark('q2') },
        { url: '', title: 'a  TITLE', highlights: mark('q3') },
        { url: '', title: 'Another', highlights: mark('q4') },
        { url: 'https://example.org/b' },
      ],
    },
  ]);
  expect(found.details).toEqual([
    {
      title: 'A title',
      tags: ['a b', 'x'.repeat(64), '\u0915\u093c'.repeat(32), 'X/y'],
      note: 'One\n\nTwo',
      is_favourite: true,
      highlights: ['q1', 'q2', 'q3'].map((exact) =>
        expect.objectContaining({ target: mark(exact)[0]?.target }),
      ),
    },
    null,
  ]);
  expect(found.kept).toEqual({ tags: 4, favourites: 1, archived: 0, finished: 0, notes: 1, highlights: 3 });
  expect(found.refused).toEqual([{ text: 'Another', reason: expect.stringMatching(/without a link/) }]);
});

test('folders become tags, without those that every browser has', () => {
  expect(
    ['Bookmarks bar / Cooking / Soup', 'Bookmarks Toolbar', 'AC/DC', 'Work, home'].map(tagOfFolder),
  ).toEqual(['Cooking/Soup', undefined, 'AC/DC', 'Work home']);
});

test('a link with more highlights than an entry may have comes several times', () => {
  const highlights = highlightsOf(Array.from({ length: 2500 }, (_, n) => highlightOf(`Passage ${n}`)));
  const link = { url: 'https://example.org/', savedAt: 0, details: { note: 'Once', highlights } };
  const [batch = [], ...others] = batchesOf([link]);
  expect(others).toEqual([]);
  expect(batch.map(({ details }) => [details?.note, details?.highlights?.length])).toEqual([
    ['Once', 1000],
    [undefined, 1000],
    [undefined, 500],
  ]);
});

test.each([
  [
    'bookmarks',
    (n: number) => `<DT><A HREF="https://example.org/${n}" ADD_DATE="17${n}">${'x'.repeat(500)}</A>\n`,
    '<!DOCTYPE NETSCAPE-Bookmark-file-1>\n',
  ],
  [
    'a table',
    (n: number) => `"${'x'.repeat(500)}",https://example.org/${n},17${n},a|b,unread\n`,
    'title,url,time_added,tags,status\n',
  ],
  ['a text', (n: number) => `https://example.org/${n} ${'x'.repeat(500)}\n`, ''],
])('50,000 links in 30 MB of %s are looked through in seconds', { tags: 'slow' }, (_name, line, head) => {
  const text = head + Array.from({ length: 50_000 }, (_, n) => line(n)).join('');
  expect(text.length).toBeGreaterThan(26_000_000);
  const begun = process.cpuUsage();
  expect(parseImport([recogniseText(text)]).urls).toHaveLength(50_000);
  expect(process.cpuUsage(begun).user).toBeLessThan(15_000_000);
});

test('invalid search params of an import are dropped', () => {
  const id = '0192f0c1-0000-7000-8000-000000000001';
  expect(readImportParams({ jobs: `${id}_nonsense_${id}`, total: 5, library: id, more: 1 })).toEqual({
    jobs: `${id}_${id}`,
    total: 5,
    library: id,
  });
  expect(readImportParams({ jobs: 5, total: 'x', library: '../..' })).toEqual({});
});

test('spreadsheets do not compute imported values', () => {
  const error = { code: 'E_INVALID_URL', message: 'No, "not" so.' };
  expect(
    resultCsv([
      { url: 'https://example.org/', outcome: 'created', media_id: '1' },
      { url: '=1+1', outcome: 'invalid', error },
    ]),
  ).toBe(
    'url,outcome,media_id,error_code,error_message\r\nhttps://example.org/,created,1,,\r\n' +
      '"\'=1+1",invalid,,E_INVALID_URL,"No, ""not"" so."\r\n',
  );
});
