import { expect, test } from 'vitest';
import { makeZip } from '../../../../test/support/fixtures/zip.ts';
import { UnreadableFile } from './entry.ts';
import { recognise } from './recognise.ts';

const read = (content: string | Buffer) => recognise(new Uint8Array(Buffer.from(content)));
const SAVED = Date.parse('2024-03-01T12:00:00Z');
const SECONDS = SAVED / 1000;
const A = 'https://example.org/a?x=1&y=2';
const B = 'https://example.com/b';

/** Changes the uncompressed size that the archive claims for its first file. */
function withSize(zip: Buffer, size: number): Buffer {
  zip.writeUInt32LE(size, zip.indexOf(Buffer.from([0x50, 0x4b, 1, 2])) + 24);
  return zip;
}

/** Files as each program writes them, and the entries that are read. */
const FILES: Record<string, { content: string | Buffer; format: string; entries: object[] }> = {
  'a browser’s bookmarks': {
    content: `<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks</H1>
<DL><p>
    <DT><H3 ADD_DATE="1" PERSONAL_TOOLBAR_FOLDER="true">Bar</H3>
    <DL><p>
        <DT><A HREF="https://example.org/a?x=1&amp;y=2" ADD_DATE="${SECONDS}" ICON="data:image/png;base64,iVBOR>">A &gt; B</A>
        <DT><H3>Cooking &amp; more</H3>
        <DL><p>
            <DT><A HREF='${B}' TAGS="soup,bread">B</A>
            <DD>A description
        </DL><p>
    </DL><p>
    <DT><A HREF="javascript:alert(1)">A bookmarklet</A>
</DL><p>`,
    format: 'Bookmarks',
    entries: [
      { url: A, savedAt: SAVED, folder: 'Bar' },
      { url: B, folder: 'Bar / Cooking & more', tags: ['soup', 'bread'] },
      { url: 'javascript:alert(1)', folder: undefined },
    ],
  },
  'Pocket’s old export': {
    content: `<!DOCTYPE html><html><head><title>Pocket Export</title></head><body>
<h1>Unread</h1><ul><li><a href="${B}" time_added="${SECONDS}" tags="x,y">B</a></li></ul>
<h1>Read Archive</h1><ul><li><a href="https://example.org/read" time_added="1" tags="">R</a></li></ul></body></html>`,
    format: 'Bookmarks',
    entries: [
      { url: B, savedAt: SAVED, folder: 'Unread', tags: ['x', 'y'] },
      { url: 'https://example.org/read', folder: 'Read Archive', tags: [] },
    ],
  },
  'Pocket’s table': {
    content: `title,url,time_added,tags,status\r\n"One, ""two""\nthree",${A},${SECONDS},a|b,unread\r\nB,${B},,,archive\r\n`,
    format: 'Pocket',
    entries: [
      { url: A, savedAt: SAVED, folder: 'Unread', tags: ['a', 'b'] },
      { url: B, savedAt: undefined, folder: 'Archive', tags: [] },
    ],
  },
  Instapaper: {
    content: `URL,Title,Selection,Folder,Timestamp,Tags\n${A},A,,Starred,${SECONDS},"[""x"",""y""]"\n`,
    format: 'Instapaper',
    entries: [{ url: A, savedAt: SAVED, folder: 'Starred', tags: ['x', 'y'] }],
  },
  'Readwise Reader': {
    content: `Title,URL,ID,Document tags,Saved date,Reading progress,Location,Seen\nA,${A},1,"['x', 'y']",2024-03-01 12:00:00.442000+00:00,0.5,archive,True\n`,
    format: 'Readwise Reader',
    entries: [{ url: A, savedAt: SAVED, folder: 'archive', tags: ['x', 'y'] }],
  },
  'Raindrop’s table': {
    content: `\ufeffid,title,note,excerpt,url,folder,tags,created,cover,highlights,favorite\n1,A,,,${A},Reading,"x, y",2024-03-01T12:00:00.000Z,,,false\n`,
    format: 'Raindrop',
    entries: [{ url: A, savedAt: SAVED, folder: 'Reading', tags: ['x', 'y'] }],
  },
  Omnivore: {
    content: JSON.stringify([
      {
        id: '1',
        slug: 'a',
        title: 'A',
        url: A,
        state: 'Archived',
        labels: ['x'],
        savedAt: '2024-03-01T12:00:00.000Z',
      },
    ]),
    format: 'Omnivore',
    entries: [{ url: A, savedAt: SAVED, folder: 'Archived', tags: ['x'] }],
  },
  Karakeep: {
    content: JSON.stringify({
      bookmarks: [
        {
          createdAt: SECONDS,
          title: 'A',
          tags: ['x'],
          content: { type: 'link', url: A },
          note: null,
          archived: true,
        },
        { createdAt: SECONDS, title: 'N', tags: [], content: { type: 'text', text: 'a note' }, note: null },
      ],
    }),
    format: 'Karakeep',
    entries: [{ url: A, savedAt: SAVED, folder: 'Archive', tags: ['x'] }, { url: '' }],
  },
  Linkwarden: {
    content: JSON.stringify({
      name: 'me',
      collections: [
        {
          name: 'Shelf',
          links: [{ name: 'A', url: A, tags: [{ name: 'x' }], createdAt: '2024-03-01T12:00:00Z' }],
        },
        { name: 'Empty', links: [] },
      ],
    }),
    format: 'Linkwarden',
    entries: [{ url: A, savedAt: SAVED, folder: 'Shelf', tags: ['x'] }],
  },
  Wallabag: {
    content: JSON.stringify([
      {
        is_archived: 1,
        is_starred: 0,
        tags: ['x'],
        title: 'A',
        url: A,
        created_at: '2024-03-01T12:00:00+00:00',
        content: `<a href="${B}">`,
      },
    ]),
    format: 'Wallabag',
    entries: [{ url: A, savedAt: SAVED, folder: 'Archive', tags: ['x'] }],
  },
  'Readeck’s backup': {
    content: makeZip([
      { name: 'data.json', content: JSON.stringify({ Users: [{ ID: 1, url: 'https://nobody.example' }] }) },
      {
        name: 'bookmarks/1/info.json',
        content: JSON.stringify({
          URL: A,
          Title: 'A',
          Created: '2024-03-01T12:00:00Z',
          Labels: ['x'],
          IsArchived: true,
        }),
      },
      { name: 'bookmarks/1/article.html', content: `<a href="${B}">not saved</a>` },
    ]),
    format: 'Readeck',
    entries: [{ url: A, savedAt: SAVED, folder: 'Archive', tags: ['x'] }],
  },
  Nexus: {
    content: JSON.stringify({
      format: 'nexus-export',
      documents: [{ url: A, added_at: '2024-03-01T12:00:00.000Z', texts: [{ text: B }] }, { url: null }],
    }),
    format: 'Nexus',
    entries: [{ url: A, savedAt: SAVED }, { url: '' }],
  },
  'a backup of Firefox': {
    content: JSON.stringify({
      title: '',
      children: [
        {
          title: 'Toolbar',
          children: [
            { title: 'A', uri: A },
            { title: 'B', uri: B },
          ],
        },
      ],
    }),
    format: 'JSON',
    entries: [
      { url: A, folder: 'Toolbar' },
      { url: B, folder: 'Toolbar' },
    ],
  },
  'a table of one’s own': {
    content: `name;Link\nA;${A}\n\n`,
    format: 'Table',
    entries: [{ url: A, tags: [] }],
  },
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
};

test.each(Object.entries(FILES))('%s is recognised by its content', (_name, { content, format, entries }) => {
  const found = read(content);
  expect(found.format).toBe(format);
  expect(found.entries).toHaveLength(entries.length);
  expect(found.entries).toMatchObject(entries);
});

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
  ['an archive without links', makeZip([{ name: 'a.txt', content: A }]), /no links/i],
  ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 0]), /contains no links/],
  ['a letter', 'Dear all,\nnothing to read.', /no links/i],
  ['JSON without links', '{"a":1}', /no links/i],
  ['a page without links', '<html><p>Hello</p></html>', /no links/i],
])('%s is rejected with a message that says what to do', (_name, content, message) => {
  const reading = () => read(content);
  expect(reading).toThrow(UnreadableFile);
  expect(reading).toThrow(message);
});
