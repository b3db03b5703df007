import { makeZip } from '../../../../test/support/fixtures/zip.ts';
import {
  A,
  B,
  FINISHED,
  mark,
  SAVED,
  SECONDS,
  testImportedFiles,
} from '../../../../test/support/imported-files.ts';

testImportedFiles({
  Karakeep: {
    content: JSON.stringify({
      bookmarks: [
        {
          createdAt: SECONDS,
          title: 'A',
          tags: ['x'],
          lists: ['soup', 'smart'],
          content: { type: 'link', url: A },
          note: 'Mine',
          customMetadata: null,
          archived: true,
        },
        { createdAt: SECONDS, title: 'N', tags: [], content: { type: 'text', text: 'a note' }, note: null },
        { createdAt: SECONDS, title: 'A file', tags: [], lists: [], content: null, note: null },
      ],
      lists: [
        { id: 'soup', name: 'Soup', type: 'manual', query: null, parentId: 'recipes' },
        { id: 'recipes', name: 'Recipes', type: 'manual', query: null, parentId: null },
        { id: 'smart', name: 'Saved search', type: 'smart', query: 'is:fav', parentId: null },
      ],
    }),
    format: 'Karakeep',
    entries: [
      {
        url: A,
        savedAt: SAVED,
        state: 'Archive',
        tags: ['x', 'Recipes / Soup'],
        note: 'Mine',
        is_archived: true,
      },
      { url: '' },
      { url: '' },
    ],
  },
  'Karakeep’s earlier export': {
    content: JSON.stringify({
      lists: [{ id: 'l', name: 'Listed', type: 'manual', parentId: 'l' }],
      bookmarks: [
        {
          createdAt: SECONDS,
          title: null,
          tags: [],
          content: { type: 'link', url: A },
          listIds: ['l', 'gone'],
        },
      ],
    }),
    format: 'Karakeep',
    entries: [{ url: A, savedAt: SAVED, tags: ['Listed'] }],
  },
  Linkwarden: {
    content: JSON.stringify({
      name: 'me',
      collections: [
        {
          id: 2,
          name: 'Top',
          parentId: 1,
          rssSubscriptions: [{ id: 1, url: 'https://example.org/feed' }],
          links: [
            {
              id: 7,
              name: 'It&#39;s A',
              type: 'url',
              url: A,
              description: 'Mine',
              tags: [{ id: 3, name: 'x', ownerId: 1 }],
              textContent: `Hi ${B}`,
              importDate: '2024-03-01T12:00:00.000Z',
              createdAt: '2025-06-24T05:24:31.751Z',
            },
            { id: 8, name: 'A file', type: 'pdf', url: null, description: '', tags: [], importDate: null },
          ],
        },
        { id: 1, name: 'Shelf', parentId: null, links: [] },
      ],
      pinnedLinks: [
        { id: 7, name: 'A', url: A },
        { id: 9, name: 'Shared', url: B, importDate: null, createdAt: '2024-03-01T12:00:00.000Z' },
      ],
    }),
    format: 'Linkwarden',
    entries: [
      {
        url: A,
        title: "It's A",
        savedAt: SAVED,
        folder: 'Shelf / Top',
        tags: ['x'],
        note: 'Mine',
        is_favourite: true,
      },
      { url: '', is_favourite: false },
      { url: B, title: 'Shared', savedAt: SAVED, folder: undefined, tags: [], is_favourite: true },
    ],
  },
  Wallabag: {
    content: JSON.stringify([
      {
        is_archived: 1,
        is_starred: 1,
        annotations: [
          { text: 'Why', created_at: '2024-03-01T12:00:00+0000', quote: 'One', ranges: [{ start: '/p[1]' }] },
          { quote: 'Two' },
        ],
        tags: ['x'],
        title: 'A',
        url: A,
        given_url: 'https://example.org/short',
        created_at: '2024-02-01T13:00:00+0100',
        archived_at: '2024-03-01T13:00:00+0100',
        content: `<a href="${B}">`,
      },
      { is_archived: 0, is_starred: false, tags: [], title: null, url: B, archived_at: null },
    ]),
    format: 'Wallabag',
    entries: [
      {
        url: A,
        savedAt: Date.parse('2024-02-01T12:00:00Z'),
        state: 'Archive',
        tags: ['x'],
        is_favourite: true,
        is_archived: true,
        reading: FINISHED,
        highlights: [mark('One', { note: 'Why', created_at: '2024-03-01T12:00:00.000Z' }), mark('Two')],
      },
      { url: B, state: 'Unread', is_favourite: false, is_archived: false, reading: undefined },
    ],
  },
  'Wallabag 1': {
    content: JSON.stringify([
      {
        0: '3',
        id: '3',
        title: 'A',
        url: A,
        is_read: '0',
        is_fav: '1',
        content: `<a href="${B}">`,
        tags: 'x,y',
      },
      { 0: '4', id: '4', title: 'B', url: B, is_read: '1', is_fav: '0', content: '', tags: '' },
    ]),
    format: 'Wallabag',
    entries: [
      { url: A, tags: ['x', 'y'], is_favourite: true, is_archived: false },
      { url: B, tags: [], is_favourite: false, is_archived: true, reading: { progress: 1 } },
    ],
  },
  Pinboard: {
    content: JSON.stringify([
      {
        href: A,
        description: 'A',
        extended: 'Mine',
        meta: '21ff',
        hash: 'e69b',
        time: '2024-03-01T12:00:00Z',
        shared: 'no',
        toread: 'yes',
        tags: 'x y',
      },
    ]),
    format: 'Pinboard',
    entries: [{ url: A, title: 'A', savedAt: SAVED, tags: ['x', 'y'], note: 'Mine' }],
  },
  'Readeck’s backup': {
    content: makeZip([
      {
        name: 'data.json',
        content: JSON.stringify({
          Info: { Version: '1' },
          Users: [{ ID: 1 }],
          Bookmarks: [{ UID: 'Ab1', UserID: 1 }],
        }),
      },
      {
        name: 'bookmarks/Ab1/info.json',
        content: JSON.stringify({
          UID: 'Ab1',
          URL: A,
          InitialURL: 'https://example.org/short',
          Title: 'A',
          Created: '2024-03-01T12:00:00.123456789Z',
          Labels: ['x'],
          IsArchived: true,
          IsMarked: true,
          ReadProgress: 100,
          Annotations: [
            {
              id: '1',
              start_selector: 'p[1]',
              start_offset: 0,
              color: 'green',
              created: '2024-03-01T12:00:00Z',
              text: 'One',
              note: 'Why',
            },
            { id: '2', color: 'none', created: '2024-03-01T12:00:00Z', text: 'Two', note: '' },
          ],
        }),
      },
      {
        name: 'bookmarks/Ab2/info.json',
        content: JSON.stringify({
          UID: 'Ab2',
          URL: B,
          Title: 'B',
          Labels: null,
          Annotations: null,
          ReadProgress: 0,
        }),
      },
      { name: 'bookmarks/Ab1/container/index.html', content: `<a href="${B}">not saved</a>` },
      { name: 'bookmarks/Ab1/container/_resources/data.json', content: '{ "cut off' },
      { name: 'bookmarks/Ab1/container/_resources/links.csv', content: `url\n${B}` },
    ]),
    format: 'Readeck',
    entries: [
      {
        url: A,
        savedAt: SAVED + 123,
        state: 'Archive',
        tags: ['x'],
        is_favourite: true,
        is_archived: true,
        reading: { progress: 1 },
        highlights: [
          mark('One', { note: 'Why', color: 'green', created_at: '2024-03-01T12:00:00.000Z' }),
          mark('Two'),
        ],
      },
      { url: B, title: 'B', tags: [], highlights: [], reading: undefined, is_favourite: false },
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
      guid: 'root________',
      title: '',
      children: [
        {
          guid: 'toolbar_____',
          title: 'toolbar',
          children: [
            { guid: 'a1', title: 'A', dateAdded: SAVED * 1000, uri: A },
            { title: 'Shelf', children: [{ title: 'B', uri: B, tags: 'x,y' }] },
          ],
        },
      ],
    }),
    format: 'JSON',
    entries: [
      { url: A, savedAt: SAVED, folder: undefined, title: 'A', tags: [] },
      { url: B, folder: 'Shelf', title: 'B', tags: ['x', 'y'] },
    ],
  },
  'the bookmarks of Chrome': {
    content: JSON.stringify({
      roots: {
        bookmark_bar: {
          name: 'Bookmarks bar',
          type: 'folder',
          children: [
            { date_added: String((SAVED + 11_644_473_600_000) * 1000), name: 'A', type: 'url', url: A },
          ],
        },
      },
    }),
    format: 'JSON',
    entries: [{ url: A, savedAt: SAVED, folder: 'Bookmarks bar', title: 'A' }],
  },
});
