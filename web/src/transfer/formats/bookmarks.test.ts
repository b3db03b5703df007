import {
  A,
  B,
  FINISHED,
  SAVED,
  SECONDS,
  testImportedFiles,
} from '../../../../test/support/imported-files.ts';

testImportedFiles({
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
    content: `<!DOCTYPE NETSCAPE-Bookmark-file-1><TITLE>Raindrop.io Bookmarks</TITLE><H1>Raindrop.io Bookmarks</H1>
<DL><p><DT><H3>Shelf</H3><DD>About the shelf<DL><p>
<DT><A HREF="${A}" ADD_DATE="${SECONDS}" TAGS="x" DATA-COVER="" DATA-IMPORTANT="true" TOREAD="0">A</A><DD>Mine &amp;&#10;yours</DL>
<DT><A HREF="${B}" TOREAD="1" DATA-IMPORTANT="false">B</A></DL>`,
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
  'Readeck’s bookmarks': {
    content: `<!DOCTYPE NETSCAPE-Bookmark-file-1>
<title>Readeck Bookmarks</title>
<h1>Readeck Bookmarks</h1>
<dl><p>
  <dt><h3>Favorite</h3></dt>
  <dl><p>
    <dt><a href="${A}" add_date="${SECONDS}" last_modified="1" tags="salt&#44; pepper,x &amp; y">A</a></dt></p></dl>
  <dt><h3>Archived</h3></dt>
  <dl><p>
    <dt><a href="${B}" add_date="1" tags="">B</a></dt></p></dl></p></dl>`,
    format: 'Bookmarks',
    entries: [
      {
        url: A,
        savedAt: SAVED,
        state: 'Favorite',
        tags: ['salt, pepper', 'x & y'],
        is_favourite: true,
        is_archived: false,
      },
      { url: B, state: 'Archived', tags: [], is_favourite: false, is_archived: true },
    ],
  },
  'bookmarks with a title in another language': {
    content: `<!DOCTYPE NETSCAPE-Bookmark-file-1><H1>Lesezeichen-Menü</H1><DL><p><DT><A HREF="${A}">A</A>
<DT><H3>Ordner</H3><DL><p><DT><A HREF="${B}">B</A></DL></DL>`,
    format: 'Bookmarks',
    entries: [
      { url: A, folder: undefined },
      { url: B, folder: 'Ordner' },
    ],
  },
});
