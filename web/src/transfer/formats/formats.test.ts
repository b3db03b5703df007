import { expect, test } from 'vitest';
import { makeZip } from '../../../../test/support/fixtures/zip.ts';
import { UnreadableFile } from './entry.ts';
import { recognise } from './recognise.ts';

/** A highlight as it is sent to the server. */
const mark = (exact: string, fields: object = {}) => ({
  target: { fragment_idx: 0, selector: [{ type: 'TextQuoteSelector', exact }] },
  color: 'yellow',
  ...fields,
});
const FINISHED = { progress: 1, finished_at: '2024-03-01T12:00:00.000Z' };

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
      { url: A, savedAt: SAVED, folder: 'Bar', title: 'A > B', note: undefined },
      { url: B, folder: 'Bar / Cooking & more', tags: ['soup', 'bread'], note: 'A description' },
      { url: 'javascript:alert(1)', folder: undefined },
    ],
  },
  'Raindrop’s and Pinboard’s bookmarks': {
    content: `<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p><DT><H3>Shelf</H3><DD>About the shelf<DL><p>
<DT><A HREF="${A}" ADD_DATE="${SECONDS}" TAGS="x" DATA-IMPORTANT="true" TOREAD="0">A</A><DD>Mine &amp;&#10;yours</DL>
<DT><A HREF="${B}" TOREAD="1">B</A></DL>`,
    format: 'Bookmarks',
    entries: [
      { url: A, folder: 'Shelf', is_favourite: true, reading: FINISHED, note: 'Mine &\nyours' },
      { url: B, folder: undefined, is_favourite: false, reading: undefined, note: undefined },
    ],
  },
  'Pocket’s old export': {
    content: `<!DOCTYPE html><html><head><title>Pocket Export</title></head><body>
<h1>Unread</h1><ul><li><a href="${B}" time_added="${SECONDS}" tags="x,y">B</a></li></ul>
<h1>Read Archive</h1><ul><li><a href="https://example.org/read" time_added="1" tags="">R</a></li></ul></body></html>`,
    format: 'Bookmarks',
    entries: [
      { url: B, savedAt: SAVED, state: 'Unread', tags: ['x', 'y'], title: 'B', is_archived: false },
      {
        url: 'https://example.org/read',
        state: 'Read Archive',
        tags: [],
        is_archived: true,
        reading: { progress: 1 },
      },
    ],
  },
  'Pocket’s table': {
    content: `title,url,time_added,tags,status\r\n"One, ""two""\nthree",${A},${SECONDS},a|b,unread\r\nB,${B},,,archive\r\n`,
    format: 'Pocket',
    entries: [
      { url: A, savedAt: SAVED, state: 'Unread', tags: ['a', 'b'], title: 'One, "two"\nthree' },
      { url: B, savedAt: undefined, state: 'Archive', tags: [], is_archived: true, reading: { progress: 1 } },
    ],
  },
  Instapaper: {
    content: `URL,Title,Selection,Folder,Timestamp,Tags\n${A},A,,Starred,${SECONDS},"[""x"",""y""]"\n${B},B,Seen at,Own,1,\n`,
    format: 'Instapaper',
    entries: [
      { url: A, savedAt: SAVED, state: 'Starred', tags: ['x', 'y'], is_favourite: true },
      { url: B, folder: 'Own', note: 'Seen at', is_favourite: false },
    ],
  },
  'Readwise Reader': {
    content: `Title,URL,ID,Document tags,Saved date,Reading progress,Location,Seen\nA,${A},1,"['x', 'y']",2024-03-01 12:00:00.442000+00:00,0.5,archive,True\n`,
    format: 'Readwise Reader',
    entries: [
      {
        url: A,
        savedAt: SAVED,
        state: 'archive',
        tags: ['x', 'y'],
        is_archived: true,
        reading: { progress: 0.5, finished_at: null },
      },
    ],
  },
  'Readwise’s highlights': {
    content:
      'Highlight,Book Title,Book Author,Amazon Book ID,Note,Color,Tags,Location Type,Location,Highlighted at,Document tags\n' +
      '"A passage, marked",A,Ana,,Why?,blue,,order,1,2024-03-01 12:00:00+00:00,"x, y"\n',
    format: 'Readwise',
    entries: [
      {
        url: '',
        title: 'A',
        tags: ['x', 'y'],
        highlights: [
          mark('A passage, marked', { note: 'Why?', color: 'blue', created_at: '2024-03-01T12:00:00.000Z' }),
        ],
      },
    ],
  },
  'the table that Readwise imports': {
    content: `Highlight,Title,Author,URL,Note,Location,Date\n'=1+1,A,,${A},,1,2024-03-01 12:00:00\n`,
    format: 'Readwise',
    entries: [{ url: A, highlights: [mark('=1+1', { created_at: '2024-03-01T12:00:00.000Z' })] }],
  },
  'Raindrop’s table': {
    content: `\ufeffid,title,note,excerpt,url,folder,tags,created,cover,highlights,favorite\n1,A,,,${A},Reading,"x, y",2024-03-01T12:00:00.000Z,,"Highlight:One\nNote:Why\nHighlight:Two",true\n`,
    format: 'Raindrop',
    entries: [
      {
        url: A,
        savedAt: SAVED,
        folder: 'Reading',
        tags: ['x', 'y'],
        is_favourite: true,
        highlights: [mark('One', { note: 'Why' }), mark('Two')],
      },
    ],
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
    entries: [{ url: A, savedAt: SAVED, state: 'Archived', tags: ['x'], is_archived: true }],
  },
  'Omnivore’s archive': {
    content: makeZip([
      {
        name: 'metadata_0_to_20.json',
        content: JSON.stringify([
          {
            slug: 'a-1',
            title: 'A',
            url: A,
            savedAt: '2024-03-01T12:00:00Z',
            labels: [],
            readingProgress: 40,
          },
        ]),
      },
      {
        name: 'highlights/a-1.md',
        content: '## A\n\n> One\n> line [⤴️](https://omnivore.app/me/a#1)\n\nMy note\n\n---\n\n> Two\n',
      },
      { name: 'content/a-1.html', content: `<a href="${B}">not saved</a>` },
    ]),
    format: 'Omnivore',
    entries: [
      {
        url: A,
        title: 'A',
        reading: { progress: 0.4, finished_at: null },
        highlights: [mark('One\nline', { note: 'My note' }), mark('Two')],
      },
    ],
  },
  Karakeep: {
    content: JSON.stringify({
      bookmarks: [
        {
          createdAt: SECONDS,
          title: 'A',
          tags: ['x'],
          content: { type: 'link', url: A },
          note: 'Mine',
          archived: true,
          favourited: true,
          lists: ['l'],
        },
        { createdAt: SECONDS, title: 'N', tags: [], content: { type: 'text', text: 'a note' }, note: null },
      ],
      lists: [{ id: 'l', name: 'Listed' }],
    }),
    format: 'Karakeep',
    entries: [
      {
        url: A,
        savedAt: SAVED,
        state: 'Archive',
        tags: ['x', 'Listed'],
        note: 'Mine',
        is_archived: true,
        is_favourite: true,
      },
      { url: '' },
    ],
  },
  Linkwarden: {
    content: JSON.stringify({
      name: 'me',
      collections: [
        {
          name: 'Shelf',
          links: [
            {
              id: 7,
              name: 'A',
              url: A,
              description: 'Mine',
              tags: [{ name: 'x' }],
              createdAt: '2024-03-01T12:00:00Z',
              highlights: [{ text: 'One', comment: 'Why', color: 'red' }],
            },
          ],
        },
        { name: 'Empty', links: [] },
      ],
      pinnedLinks: [{ id: 7 }],
    }),
    format: 'Linkwarden',
    entries: [
      {
        url: A,
        title: 'A',
        savedAt: SAVED,
        folder: 'Shelf',
        tags: ['x'],
        note: 'Mine',
        is_favourite: true,
        highlights: [mark('One', { note: 'Why', color: 'pink' })],
      },
    ],
  },
  Wallabag: {
    content: JSON.stringify([
      {
        is_archived: 1,
        is_starred: 1,
        annotations: [{ quote: 'One', text: 'Why', created_at: '2024-03-01T12:00:00+00:00' }],
        tags: ['x'],
        title: 'A',
        url: A,
        created_at: '2024-03-01T12:00:00+00:00',
        content: `<a href="${B}">`,
      },
    ]),
    format: 'Wallabag',
    entries: [
      {
        url: A,
        savedAt: SAVED,
        state: 'Archive',
        tags: ['x'],
        is_favourite: true,
        is_archived: true,
        reading: FINISHED,
        highlights: [mark('One', { note: 'Why', created_at: '2024-03-01T12:00:00.000Z' })],
      },
    ],
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
          IsMarked: true,
          ReadProgress: 100,
          Annotations: [
            { id: '1', text: 'One', note: 'Why', color: 'green', created: '2024-03-01T12:00:00Z' },
          ],
        }),
      },
      { name: 'bookmarks/1/article.html', content: `<a href="${B}">not saved</a>` },
    ]),
    format: 'Readeck',
    entries: [
      {
        url: A,
        savedAt: SAVED,
        state: 'Archive',
        tags: ['x'],
        is_favourite: true,
        is_archived: true,
        reading: FINISHED,
        highlights: [mark('One', { note: 'Why', color: 'green', created_at: '2024-03-01T12:00:00.000Z' })],
      },
    ],
  },
  Hypothesis: {
    content: JSON.stringify({
      export_date: '2024-03-02',
      annotations: [
        {
          uri: A,
          text: 'Why',
          tags: ['x'],
          created: '2024-03-01T12:00:00Z',
          document: { title: ['A'] },
          target: [
            {
              source: A,
              selector: [
                { type: 'RangeSelector' },
                { type: 'TextPositionSelector', start: 5, end: 8 },
                { type: 'TextQuoteSelector', exact: 'One', prefix: 'before ', suffix: ' after' },
              ],
            },
          ],
        },
        {
          uri: B,
          text: 'A note on the page',
          tags: [],
          created: '2024-03-01T12:00:00Z',
          target: [{ source: B }],
        },
      ],
    }),
    format: 'Hypothesis',
    entries: [
      {
        url: A,
        title: 'A',
        savedAt: SAVED,
        tags: ['x'],
        highlights: [
          {
            target: {
              selector: [{ type: 'TextQuoteSelector', exact: 'One', prefix: 'before ', suffix: ' after' }],
            },
            note: 'Why',
          },
        ],
      },
      { url: B, note: 'A note on the page', highlights: undefined },
    ],
  },
  'Web Annotations': {
    content: JSON.stringify({
      '@context': 'http://www.w3.org/ns/anno.jsonld',
      type: 'AnnotationPage',
      items: [
        {
          type: 'Annotation',
          created: '2024-03-01T12:00:00Z',
          body: [{ type: 'TextualBody', value: 'Why', purpose: 'commenting' }],
          target: { source: A, styleClass: 'green', selector: { type: 'TextQuoteSelector', exact: 'One' } },
        },
        {
          type: 'Annotation',
          body: [
            { value: 'x', purpose: 'tagging' },
            { value: 'A note', purpose: 'commenting' },
          ],
          target: B,
        },
      ],
    }),
    format: 'Web Annotations',
    entries: [
      { url: A, highlights: [mark('One', { note: 'Why', color: 'green' })] },
      { url: B, tags: ['x'], note: 'A note' },
    ],
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
            { title: 'B', uri: B, tags: 'x,y' },
          ],
        },
      ],
    }),
    format: 'JSON',
    entries: [
      { url: A, folder: 'Toolbar', title: 'A', tags: [] },
      { url: B, folder: 'Toolbar', title: 'B', tags: ['x', 'y'] },
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
  const none = { note: undefined, highlights: undefined };
  expect(found.entries.map((entry) => ({ ...none, ...entry }))).toMatchObject(entries);
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
