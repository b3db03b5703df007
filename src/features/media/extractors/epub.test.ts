import { describe, expect, test } from 'vitest';
import { failureOf, useExtractors } from '../../../../test/support/extractors.ts';
import { type EpubOptions, makeEpub, PNG, xhtml } from '../../../../test/support/fixtures/epub.ts';
import { SENTENCES } from '../../../../test/support/fixtures/pages.ts';
import { makeZip } from '../../../../test/support/fixtures/zip.ts';

const extractors = useExtractors();
const extract = (bytes: Uint8Array) =>
  extractors.epub({ bytes: new Uint8Array(bytes), assetPath: '/media/1/assets/' });
const book = (options: EpubOptions) => extract(makeEpub(options));
const chapter = (body: string) => book({ chapters: [{ file: 'text/one.xhtml', title: 'One', body }] });

test.each([2, 3] as const)(
  'a book of version %i has its chapters in order, its contents and its cover',
  async (version) => {
    const { title, metadata, fragments, outline, assets, plain_text } = await book({ version });
    expect(title).toBe('A small book');
    expect(metadata).toMatchObject({
      author: 'A. Writer',
      site: 'A & B',
      language: 'en',
      published: '2021-03-04',
      cover: assets[0]?.name,
    });
    expect(fragments).toMatchObject([
      {
        idx: 0,
        title: 'The first',
        html_sanitized: '<h1>The first</h1><p>It began.</p>',
        canonical_text: 'The first\nIt began.',
      },
      { idx: 1, title: 'The second' },
    ]);
    expect(plain_text).toBe('The first\nIt began.\nThe second\nIt went on.');
    expect(outline).toEqual([
      { title: 'The first', fragment_idx: 0, depth: 0 },
      { title: 'The second', fragment_idx: 1, depth: 0 },
    ]);
    expect(assets).toHaveLength(1);
    expect(assets[0]).toMatchObject({
      content_type: 'image/png',
      name: expect.stringMatching(/^[0-9a-f]{32}\.png$/),
    });
    expect(Buffer.from(assets[0]?.bytes ?? []).equals(PNG)).toBe(true);
  },
);

test('chapters have the order of the spine, not of the archive', async () => {
  const chapters = ['z', 'a', 'm'].map((name) => ({
    file: `${name}.xhtml`,
    title: name,
    body: `<p>${name}</p>`,
  }));
  expect((await book({ chapters })).plain_text).toBe('z\na\nm');
});

test.each(Object.entries(SENTENCES))('the text of a book in %s is unchanged', async (language, sentence) => {
  const { plain_text, metadata } = await book({
    language,
    title: sentence.slice(0, 10),
    chapters: [{ file: 'kapitel ä.xhtml', title: 'x', body: `<p>${sentence}</p>` }],
  });
  expect(plain_text).toBe(sentence.normalize('NFC'));
  expect(metadata.language).toBe(language);
});

test('all authors are listed, and entities in names are decoded', async () => {
  const { title, metadata } = await book({ title: 'Salt &amp; Light', creators: ['A. Writer', 'B. Writer'] });
  expect(title).toBe('Salt & Light');
  expect(metadata.author).toBe('A. Writer, B. Writer');
});

test('a nested table of contents keeps its depth', async () => {
  const nav = xhtml(
    'Contents',
    `<nav epub:type="toc"><h1>Contents</h1><ol><li><span>Part</span><ol><li><a href="text/one.xhtml">One</a></li></ol></li>
     <li><a href="nowhere.xhtml">Lost</a></li></ol></nav>`,
  );
  expect((await book({ files: [{ name: 'OEBPS/nav.xhtml', content: nav }] })).outline).toEqual([
    { title: 'Part', fragment_idx: null, depth: 0 },
    { title: 'One', fragment_idx: 0, depth: 1 },
    { title: 'Lost', fragment_idx: null, depth: 0 },
  ]);
});

describe('the content of a chapter', () => {
  test('self-closing XML elements do not contain the rest of the page', async () => {
    const { fragments } = await book({
      files: [
        {
          name: 'OEBPS/text/one.xhtml',
          content:
            '<html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="x.js"/></head><body><a id="a"/><p>Here<br/>it is</p><div class="x" title="a &gt; b"/></body></html>',
        },
      ],
    });
    expect(fragments[0]?.canonical_text).toBe('Here\nit is');
  });

  test('images come only from the book', async () => {
    const { fragments, assets } = await chapter(
      '<p><img src="../images/cover.png" alt="A"/><img src="https://tracker.example/x.png"/><img src="../missing.png"/></p>',
    );
    expect(fragments[0]?.html_sanitized).toBe(
      `<p><img src="/media/1/assets/${assets[0]?.name}" alt="A"></p>`,
    );
  });

  test('links to other chapters lead to their fragments; links to empty chapters or to the same chapter are removed', async () => {
    const link = (file: string) => `<a href="${file}">go</a>`;
    const { fragments } = await book({
      chapters: [
        {
          file: 'text/one.xhtml',
          title: 'One',
          body: `<p>${link('three.xhtml#note')}${link('two.xhtml')}</p>`,
        },
        { file: 'text/two.xhtml', title: 'Two', body: '' },
        { file: 'text/three.xhtml', title: 'Three', body: `<p>${link('one.xhtml')}${link('#top')}</p>` },
      ],
    });
    expect(fragments.map(({ html_sanitized }) => html_sanitized)).toEqual([
      '<p><a href="#fragment-1">go</a><a>go</a></p>',
      '<p><a href="#fragment-0">go</a><a>go</a></p>',
    ]);
  });

  test('external links keep their address; scripts and styles are removed', async () => {
    const { fragments } = await chapter(
      '<p><a href="nowhere.xhtml#x">in</a> <a href="https://site.example/">out</a></p><script>alert(1)</script><style>p{}</style><svg onload="x()"/>',
    );
    expect(fragments[0]?.html_sanitized).toBe(
      '<p><a>in</a> <a href="https://site.example/" rel="noopener noreferrer" target="_blank">out</a></p>',
    );
  });

  test('an invalid image is skipped', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>';
    const { fragments, assets, metadata } = await book({
      chapters: [{ file: 'text/one.xhtml', title: 'One', body: '<p>x<img src="../images/cover.png"/></p>' }],
      files: [{ name: 'OEBPS/images/cover.png', content: svg }],
    });
    expect(fragments[0]?.html_sanitized).toBe('<p>x</p>');
    expect({ assets, cover: metadata.cover }).toEqual({ assets: [], cover: null });
  });

  test('entities for characters are allowed', async () => {
    const content = `<!DOCTYPE html [<!ENTITY mydash "&#8212;">]><html><body><p>a&nbsp;b &mdash; c</p></body></html>`;
    expect(
      (await book({ files: [{ name: 'OEBPS/text/one.xhtml', content }] })).fragments[0]?.canonical_text,
    ).toBe('a b — c');
  });
});

describe('a file that is not a readable book', () => {
  test.each([
    ['empty', Buffer.alloc(0)],
    ['of another type', Buffer.from('%PDF-1.7')],
    ['another archive', makeZip([{ name: 'readme.txt', content: 'hello' }])],
    ['truncated', makeEpub().subarray(0, 500)],
    ['without a package', makeEpub({ files: [{ name: 'META-INF/container.xml', content: '<container/>' }] })],
    ['without chapters', makeEpub({ chapters: [] })],
    [
      'encrypted in its archive',
      makeEpub({ files: [{ name: 'OEBPS/text/one.xhtml', content: 'x', isEncrypted: true }] }),
    ],
    [
      'protected by DRM',
      makeEpub({
        files: [
          {
            name: 'META-INF/encryption.xml',
            content:
              '<encryption><EncryptedData><EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/></EncryptedData></encryption>',
          },
        ],
      }),
    ],
  ])('%s', async (_what, bytes) => {
    expect(await failureOf(extract(bytes))).toMatchObject({ code: 'E_EPUB_INVALID', isTransient: false });
  });

  test('but obfuscated fonts are allowed', async () => {
    const content =
      '<encryption><EncryptedData><EncryptionMethod Algorithm="http://www.idpf.org/2008/embedding"/></EncryptedData></encryption>';
    expect((await book({ files: [{ name: 'META-INF/encryption.xml', content }] })).fragments).toHaveLength(2);
  });
});

describe('a malicious archive is refused', () => {
  const MB = 1024 * 1024;
  const lol = (content: string) => makeEpub({ files: [{ name: 'OEBPS/text/one.xhtml', content }] });

  test.each([
    [
      'a file that is too large when decompressed',
      makeEpub({ files: [{ name: 'OEBPS/bomb', content: Buffer.alloc(65 * MB) }] }),
    ],
    [
      'many files that are too large together',
      makeEpub({
        files: Array.from({ length: 12 }, (_, index) => ({
          name: `OEBPS/${index}`,
          content: Buffer.alloc(50 * MB),
        })),
      }),
    ],
    [
      'a file that declares a small size',
      makeEpub({
        files: [{ name: 'OEBPS/text/one.xhtml', content: Buffer.alloc(30 * MB, ' '), declaredSize: 10 }],
      }),
    ],
    ['a name that leads out', makeEpub({ files: [{ name: '../../etc/passwd', content: 'x' }] })],
    ['an absolute name', makeEpub({ files: [{ name: '/etc/passwd', content: 'x' }] })],
    ['a name with a drive', makeEpub({ files: [{ name: 'C:/x', content: 'x' }] })],
    ['a name that leads out with backslashes', makeEpub({ files: [{ name: '..\\..\\x', content: 'x' }] })],
    [
      'two files with the same name',
      makeEpub({
        files: [
          { name: 'OEBPS/x', content: 'a' },
          { name: 'OEBPS/x', content: 'b' },
        ],
      }),
    ],
    [
      'too many files',
      makeZip(
        Array.from({ length: 20_001 }, (_, index) => ({ name: `f${index}`, content: '', isStored: true })),
      ),
    ],
    [
      'entities that refer to entities',
      lol('<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><html><body>&b;</body></html>'),
    ],
    [
      'an entity that reads a file',
      lol('<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><html><body>&a;</body></html>'),
    ],
    ['a parameter entity', lol('<!DOCTYPE x [<!ENTITY % a "x">]><html><body>x</body></html>')],
    [
      'entities in its package',
      makeEpub({
        files: [
          {
            name: 'OEBPS/book.opf',
            content: '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><package/>',
          },
        ],
      }),
    ],
    [
      'a text that is hundreds of times larger than the file',
      makeEpub({
        chapters: [{ file: 'one.xhtml', title: 'One', body: `<p>${'word '.repeat(2_500_000)}</p>` }],
      }),
    ],
  ])('%s', async (_what, bytes) => {
    expect(await failureOf(extract(bytes))).toMatchObject({ code: 'E_ARCHIVE_UNSAFE', isTransient: false });
    expect(extractors.bugs).toEqual([]);
  });

  test('a path in the package that leads out of the archive is ignored', async () => {
    const container = (path: string) =>
      book({
        files: [
          {
            name: 'META-INF/container.xml',
            content: `<container><rootfiles><rootfile full-path="${path}"/></rootfiles></container>`,
          },
        ],
      });
    for (const path of ['../../../etc/passwd', '/etc/passwd', 'file:///etc/passwd']) {
      expect(await failureOf(container(path))).toMatchObject({ code: 'E_EPUB_INVALID' });
    }
  });
});
