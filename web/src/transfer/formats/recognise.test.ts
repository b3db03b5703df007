import { expect, test } from 'vitest';
import { makeZip } from '../../../../test/support/fixtures/zip.ts';
import { A, B, readImported, testImportedFiles } from '../../../../test/support/imported-files.ts';
import { UnreadableFile } from './entry.ts';

testImportedFiles({
  'a text': {
    content: `Read (${A}) and ${B}.\nNothing here.\n\nexample.org/bare\n`,
    format: 'Text',
    entries: [{ url: A }, { url: B }, { url: 'Nothing here.' }, { url: 'https://example.org/bare' }],
  },
  'a text in UTF-16': {
    content: Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(`${A}\n`, 'utf16le')]),
    format: 'Text',
    entries: [{ url: A }],
  },
  'a table in UTF-16 without a byte order mark': {
    content: Buffer.from(`url;title\r\n${A};"x;y"\r\n`, 'utf16le'),
    format: 'Table',
    entries: [{ url: A, title: 'x;y' }],
  },
  'an archive with a table in UTF-16': {
    content: makeZip([
      {
        name: 'a.csv',
        content: Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(`url\n${A}`, 'utf16le')]),
      },
    ]),
    format: 'Table',
    entries: [{ url: A }],
  },
  'JSON with values of other types': {
    content: JSON.stringify({
      bookmarks: [
        { content: { url: A }, createdAt: {}, title: 7, tags: 'x', lists: 3, note: [] },
        { content: 5, createdAt: null, tags: [1, null, { name: 5 }], lists: null },
        null,
      ],
      lists: null,
    }),
    format: 'Karakeep',
    entries: [
      { url: A, savedAt: undefined, title: '', tags: [], note: '' },
      { url: '', tags: [] },
    ],
  },
});

/** Changes the uncompressed size that the archive claims for its first file. */
function withSize(zip: Buffer, size: number): Buffer {
  zip.writeUInt32LE(size, zip.indexOf(Buffer.from([0x50, 0x4b, 1, 2])) + 24);
  return zip;
}

test.each([
  ['nothing', '', /empty/],
  ['JSON that is cut off', '{"bookmarks":[{"createdAt":1,', /incomplete/],
  [
    'a table that is cut off',
    `title,url,time_added,tags,status\n"A,${A}`,
    /A quote in line 2 is never closed/,
  ],
  [
    'an archive that is cut off',
    makeZip([{ name: 'a.csv', content: `url\n${A}` }]).subarray(0, 40),
    /damaged or incomplete/,
  ],
  [
    'an archive that is too large',
    withSize(makeZip([{ name: 'a.csv', content: `url\n${A}` }]), 301 * 1024 * 1024),
    /more than 300 MB/,
  ],
  [
    'an archive with a file that is cut off',
    makeZip([{ name: 'metadata_0_to_20.json', content: '[{"url":' }]),
    /^metadata_0_to_20\.json: .*incomplete/,
  ],
  ['a table without rows', 'title,url,time_added,tags,status\n', /no links/i],
  ['JSON of lists that are null', '{"format":"nexus-export","documents":null}', /no links/i],
  // Both took minutes when the end of a tag was searched from each beginning.
  ['tags that never end', '<a '.repeat(300_000), /no links/i],
  ['quotes that never end', '<a href="'.repeat(100_000), /no links/i],
  ['an archive without links', makeZip([{ name: 'a.txt', content: A }]), /no links/i],
  ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 0]), /contains no links/],
  ['a letter', 'Dear all,\nnothing to read.', /no links/i],
  ['JSON without links', '{"a":1}', /no links/i],
  ['a page without links', '<html><p>Hello</p></html>', /no links/i],
])('%s is rejected with a message that says what to do', (_name, content, message) => {
  const reading = () => readImported(content);
  expect(reading).toThrow(UnreadableFile);
  expect(reading).toThrow(message);
});
