import { makeZip } from '../../../../test/support/fixtures/zip.ts';
import { A, B, mark, SAVED, SECONDS, testImportedFiles } from '../../../../test/support/imported-files.ts';

/** Hypothesis writes the time of the person’s own zone. */
const LOCAL_NOON = new Date(2024, 2, 1, 12).getTime();

testImportedFiles({
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
        savedAt: SAVED + 442,
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
  'a table of one’s own': {
    content: `name;Link\nA;${A}\n\n`,
    format: 'Table',
    entries: [{ url: A, tags: [] }],
  },
  'Pocket’s archive': {
    content: makeZip([
      {
        name: 'part_000000.csv',
        content: `title,url,time_added,tags,status\nA,${A},${SECONDS},x|y,archive\n`,
      },
      {
        name: 'annotations/part_000000.json',
        content: JSON.stringify([
          { url: A, title: 'A', highlights: [{ quote: 'One', created_at: SECONDS }, { quote: 'Two' }] },
        ]),
      },
    ]),
    format: 'Pocket',
    entries: [
      { url: A, savedAt: SAVED, tags: ['x', 'y'], is_archived: true },
      { url: A, highlights: [mark('One', { created_at: '2024-03-01T12:00:00.000Z' }), mark('Two')] },
    ],
  },
  'Instapaper’s earlier table': {
    content: `URL,Title,Selection,Folder\n${A},A,,Archive\n${B},B,,Own\n`,
    format: 'Instapaper',
    entries: [
      { url: A, state: 'Archive', folder: undefined, is_archived: true, tags: [] },
      { url: B, folder: 'Own', is_archived: false },
    ],
  },
  'the tags of Readwise Reader': {
    content: `Title,URL,ID,Document tags,Saved date,Reading progress,Location,Seen\n,${A},,"[""don't"", 'favorite', 'salt, pepper', 'it\\'s']",2024-03-01 12:00:00+00:00,,later,\n,${B},,,,,,\n`,
    format: 'Readwise Reader',
    entries: [
      { url: A, savedAt: SAVED, tags: ["don't", 'salt, pepper', "it's"], is_favourite: true },
      { url: B, savedAt: undefined, tags: [], is_favourite: false },
    ],
  },
  'the table that Raindrop imports': {
    content: `folder,url,title,note,tags,created\n"Shelf/Top",${A},A,Mine,"x, y",${SECONDS}\n`,
    format: 'Table',
    entries: [{ url: A, savedAt: SAVED, folder: 'Shelf/Top', tags: ['x', 'y'], note: 'Mine' }],
  },
  'Readeck’s table': {
    content: `url,title,created,labels,is_archived,is_marked,type\r\n${A},A,2024-03-01T12:00:00Z,"[""x"",""salt, pepper""]",true,true,article\r\n${B},B,2024-03-01T12:00:00Z,null,false,false,video\r\n`,
    format: 'Readeck',
    entries: [
      {
        url: A,
        savedAt: SAVED,
        state: 'Archive',
        tags: ['x', 'salt, pepper'],
        is_archived: true,
        is_favourite: true,
      },
      { url: B, state: 'Unread', tags: [], is_archived: false, is_favourite: false },
    ],
  },
  'Wallabag’s table': {
    content: `Title;URL;Content;Tags;"MIME Type";Language;"Creation date"\nA;${A};"<p>One; ""two""</p>";"x, y";text/html;en;"01/03/2024 08:00:00"\n`,
    format: 'Wallabag',
    entries: [{ url: A, title: 'A', savedAt: Date.parse('2024-03-01'), tags: ['x', 'y'] }],
  },
  'Hypothesis’s table': {
    content: `Creation Date,URL,Group,Annotation/Reply Type,Quote,User,Body,Tags,Page\n2024-03-01 12:00,${A},Public,Annotation,"One, two",ana,Why,"x,y",3\n2024-03-01 12:01,${A},Public,Reply,,ben,Because,,\n`,
    format: 'Hypothesis',
    entries: [
      { url: A, savedAt: LOCAL_NOON, tags: ['x', 'y'], highlights: [mark('One, two', { note: 'Why' })] },
      { url: A, note: 'Because' },
    ],
  },
  'Hypothesis’s earlier table': {
    content: `Created at,Author,Page,URL,Group,Annotation/Reply Type,Quote,Comment,Tags\n2024-03-01T12:00:00Z,ana,,${A},Public,Annotation,One,Why,\n`,
    format: 'Hypothesis',
    entries: [{ url: A, savedAt: SAVED, highlights: [mark('One', { note: 'Why' })] }],
  },
});
