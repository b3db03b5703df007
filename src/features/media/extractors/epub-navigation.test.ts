import { expect, test } from 'vitest';
import { useExtractors } from '../../../../test/support/extractors.ts';
import { type EpubOptions, makeEpub } from '../../../../test/support/fixtures/epub.ts';

const extractors = useExtractors();
const book = (options: EpubOptions) =>
  extractors.epub({ bytes: new Uint8Array(makeEpub(options)), assetPath: '/media/1/assets/' });

const CHAPTERS = [
  {
    file: 'one.xhtml',
    title: 'One',
    body: '<p>It began<span id="p2" epub:type="pagebreak">2</span> here.</p><p id="p3">And went on.</p>',
  },
  { file: 'empty.xhtml', title: 'Empty', body: '' },
  {
    file: 'two.xhtml',
    title: 'Two',
    body: '<h1 id="top">Two</h1><p>It <span role="doc-pagebreak" id="p5" aria-label="Page 5."/>ended.</p>',
  },
];
const pagesOf = ({ fragments }: Awaited<ReturnType<typeof book>>) =>
  fragments.map(({ printed_pages }) => printed_pages);

test('the page list of EPUB 3 says which printed pages begin in which chapter', async () => {
  const extraction = await book({
    chapters: CHAPTERS,
    lists: `<nav epub:type="page-list" hidden=""><ol><li><a href="one.xhtml">i</a></li><li><a href="one.xhtml#p2">2</a></li>
      <li><a href="one.xhtml#p3">3</a></li><li><a href="empty.xhtml#p4">4</a></li><li><a href="two.xhtml#p5">Page 5</a></li>
      <li><a href="two.xhtml#gone">6</a></li><li><a href="https://site.example/#p7">7</a></li></ol></nav>`,
  });
  expect(pagesOf(extraction)).toEqual([
    [{ label: 'i' }, { label: '2', element: 'n-p2' }, { label: '3', element: 'n-p3' }],
    [{ label: '5', element: 'n-p5' }, { label: '6' }],
  ]);
  expect(extraction.fragments.map(({ html_sanitized }) => html_sanitized)).toEqual([
    '<p>It began<span id="n-p2"></span> here.</p><p id="n-p3">And went on.</p>',
    '<h1 id="n-top">Two</h1><p>It <span id="n-p5"></span>ended.</p>',
  ]);
  expect(extraction.plain_text).toBe('It began here.\nAnd went on.\nTwo\nIt ended.');
});

test('the page list of EPUB 2 is that of its NCX', async () => {
  const target = (value: string, src: string, label = value) =>
    `<pageTarget type="normal" value="${value}"><navLabel><text>${label}</text></navLabel><content src="${src}"/></pageTarget>`;
  const lists = `<pageList>${target('1', 'one.xhtml')}${target('3', 'one.xhtml#p3')}${target('5', 'two.xhtml#p5', '')}</pageList>`;
  expect(pagesOf(await book({ version: 2, chapters: CHAPTERS, lists }))).toEqual([
    [{ label: '1' }, { label: '3', element: 'n-p3' }],
    [{ label: '5', element: 'n-p5' }],
  ]);
});

test('without a list, the marks in the text are the page list', async () => {
  const body =
    '<hr epub:type="pagebreak" title="xii"/><p>a<a role="doc-pagebreak" id="page-13"/>b</p><div epub:type="pagebreak" title="14"><p>A whole paragraph of the page.</p></div>';
  const extraction = await book({ chapters: [{ file: 'one.xhtml', title: 'One', body }] });
  expect(pagesOf(extraction)).toEqual([
    [
      { label: 'xii', element: 'n-printed-page-1' },
      { label: '13', element: 'n-page-13' },
      { label: '14', element: 'n-printed-page-3' },
    ],
  ]);
  expect(extraction.plain_text).toBe('ab\nA whole paragraph of the page.');
});

test('a book without printed pages has none', async () => {
  expect(pagesOf(await book({}))).toEqual([null, null]);
});

test('the landmarks of EPUB 3 lead to their parts', async () => {
  const { book: facts } = await book({
    chapters: CHAPTERS,
    lists: `<nav epub:type="landmarks"><ol><li><a epub:type="toc" href="nav.xhtml">Contents</a></li>
      <li><a epub:type="frontmatter cover" href="one.xhtml">Front</a></li>
      <li><a epub:type="bodymatter" href="two.xhtml#top">Begin</a></li>
      <li><a epub:type="bodymatter" href="one.xhtml">Again</a></li><li><a epub:type="loi" href="empty.xhtml">Plates</a></li>
      <li><a href="one.xhtml">Untyped</a></li></ol></nav>`,
  });
  expect(facts).toEqual({
    direction: 'ltr',
    landmarks: [
      { type: 'frontmatter', title: 'Front', fragment_idx: 0 },
      { type: 'bodymatter', title: 'Begin', fragment_idx: 1, element: 'n-top' },
    ],
  });
});

test('the guide of EPUB 2 has the same terms', async () => {
  const { book: facts } = await book({
    version: 2,
    chapters: CHAPTERS,
    guide:
      '<guide><reference type="Cover" title="The cover" href="one.xhtml"/><reference type="text" href="two.xhtml"/><reference type="toc" href="nowhere.xhtml"/></guide>',
  });
  expect(facts?.landmarks).toEqual([
    { type: 'cover', title: 'The cover', fragment_idx: 0 },
    { type: 'bodymatter', title: '', fragment_idx: 1 },
  ]);
});

test('an entry of the contents leads to its part of a chapter', async () => {
  const { outline, fragments } = await book({
    version: 2,
    chapters: [
      {
        file: 'all.xhtml',
        title: 'All',
        body: '<h2 id="a">A</h2><p>a</p><h2 id="b&amp;c">B</h2><p id="x">b</p>',
      },
    ],
    files: [
      {
        name: 'OEBPS/toc.ncx',
        content: `<ncx><navMap>${['a', 'b%26c', 'gone'].map((id) => `<navPoint><navLabel><text>${id}</text></navLabel><content src="all.xhtml#${id}"/></navPoint>`).join('')}</navMap></ncx>`,
      },
    ],
  });
  expect(outline).toEqual([
    { title: 'a', fragment_idx: 0, element: 'n-a', depth: 0 },
    { title: 'b%26c', fragment_idx: 0, element: 'n-b&c', depth: 0 },
    { title: 'gone', fragment_idx: 0, depth: 0 },
  ]);
  expect(fragments[0]?.html_sanitized).toBe('<h2 id="n-a">A</h2><p>a</p><h2 id="n-b&amp;c">B</h2><p>b</p>');
});

test('an item that cannot be shown is replaced by its fallback', async () => {
  const item = (id: string, href: string, type: string, more = '') =>
    `<item id="${id}" href="${href}" media-type="${type}" ${more}/>`;
  const { plain_text } = await book({
    files: [
      {
        name: 'OEBPS/book.opf',
        content: `<package version="3.0"><metadata/><manifest>${item('a', 'a.pdf', 'application/pdf', 'fallback="b"')}${item('b', 'b.xml', 'application/x-other', 'fallback="c"')}${item('c', 'c.xhtml', 'application/xhtml+xml')}${item('loop', 'l.pdf', 'application/pdf', 'fallback="loop"')}</manifest><spine><itemref idref="a"/><itemref idref="loop"/></spine></package>`,
      },
      { name: 'OEBPS/c.xhtml', content: '<html><body><p>The fallback.</p></body></html>' },
    ],
  });
  expect(plain_text).toBe('The fallback.');
});
