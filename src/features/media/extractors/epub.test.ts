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
      site: null,
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

test.each([
  ['with another Unicode form', 'ä.xhtml'.normalize('NFC'), { name: 'OEBPS/ä.xhtml'.normalize('NFD') }],
  ['in another case', 'Text/One.xhtml', { name: 'OEBPS/text/one.XHTML' }],
  ['with a percent sign', '100%.xhtml', {}],
  ['with a percent sign and a space', '100%%20sure.xhtml', { name: 'OEBPS/100% sure.xhtml' }],
  ['with escapes in its name', 'a%20b.xhtml', {}],
  ['without the flag of UTF-8', 'ä.xhtml', { isUnflagged: true }],
])('a chapter is found %s, also by the contents', async (_how, file, stored) => {
  const chapters = [{ file, title: 'One', body: '<p>It began.</p>', stored }];
  const { plain_text, outline } = await book({ chapters });
  expect(plain_text).toBe('It began.');
  expect(outline).toEqual([{ title: 'One', fragment_idx: 0, depth: 0 }]);
});

test('images and links to chapters are found in another case', async () => {
  const chapters = [
    {
      file: 'one.xhtml',
      title: 'One',
      body: '<p><img src="Images/Cover.PNG"/> <a href="TWO.xhtml">on</a></p>',
    },
    { file: 'two.xhtml', title: 'Two', body: '<p>It went on.</p>' },
  ];
  const { fragments, assets } = await book({ chapters });
  expect(fragments[0]?.html_sanitized).toContain(`src="/media/1/assets/${assets[0]?.name}"`);
  expect(fragments[0]?.html_sanitized).toContain('href="#fragment-1"');
});

test('of two names that differ in case, each has its own file', async () => {
  const chapters = ['one.xhtml', 'ONE.xhtml'].map((file) => ({ file, title: file, body: `<p>${file}</p>` }));
  expect((await book({ chapters })).plain_text).toBe('one.xhtml\nONE.xhtml');
});

test('an ampersand in the name of a chapter or a title of the guide is read', async () => {
  const { plain_text, outline, book } = await extract(
    makeEpub({
      chapters: [
        {
          file: 'this&amp;that.xhtml',
          title: 'One',
          body: '<p>It began.</p>',
          stored: { name: 'OEBPS/this&that.xhtml' },
        },
      ],
      guide: '<guide><reference type="text" title="This &amp; that" href="this&amp;that.xhtml"/></guide>',
    }),
  );
  expect(plain_text).toBe('It began.');
  expect(outline).toEqual([{ title: 'One', fragment_idx: 0, depth: 0 }]);
  expect(book?.landmarks).toEqual([{ type: 'bodymatter', title: 'This & that', fragment_idx: 0 }]);
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

  test('links to a part of a chapter keep their target, and ids without a link are removed', async () => {
    const { fragments } = await book({
      chapters: [
        {
          file: 'text/one.xhtml',
          title: 'One',
          body: '<p id="top">A bell<a epub:type="noteref" href="notes.xhtml#n1">1</a><sup><a href="#below">2</a></sup></p><p id="below">Below</p><p id="unused">id="unused"</p>',
        },
        {
          file: 'text/notes.xhtml',
          title: 'Notes',
          body: '<aside id="n1" epub:type="footnote"><p>Old. <a href="one.xhtml#top">Back</a></p></aside><p id="n2">Other</p>',
        },
      ],
    });
    expect(fragments.map(({ html_sanitized }) => html_sanitized)).toEqual([
      '<p id="n-top">A bell<a href="#fragment-1/n-n1" data-note="">1</a><sup><a href="#n-below" data-note="">2</a></sup></p><p id="n-below">Below</p><p>id="unused"</p>',
      '<div id="n-n1"><p>Old. <a href="#fragment-0/n-top">Back</a></p></div><p>Other</p>',
    ]);
  });

  test('formulas are kept, with and without a prefix', async () => {
    const { fragments } = await chapter(
      '<p><math xmlns="http://www.w3.org/1998/Math/MathML"><msup><mi>x</mi><mn>2</mn></msup></math> and <m:math xmlns:m="http://www.w3.org/1998/Math/MathML"><m:mi>y</m:mi><m:mspace width="1em"/></m:math></p>',
    );
    expect(fragments[0]).toMatchObject({
      html_sanitized:
        '<p><math alttext="x^2"><msup><mi>x</mi><mn>2</mn></msup></math> and <math alttext="y"><mi>y</mi><mspace width="1em"></mspace></math></p>',
      canonical_text: 'x^2 and y',
    });
  });

  test('drawings become images, and a drawing of an image is that image', async () => {
    const { fragments, assets } = await chapter(
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 60" onload="x()"><title>A wall</title><path d="M0 0h9"/></svg>
       <svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 60 80"><image xlink:href="../images/cover.png" width="60" height="80"/></svg>`,
    );
    const drawing = assets.find(({ content_type }) => content_type === 'image/svg+xml');
    const cover = assets.find(({ content_type }) => content_type === 'image/png');
    expect(fragments[0]?.html_sanitized.replace(/\s+(?=<)/, '').trim()).toBe(
      `<img src="/media/1/assets/${drawing?.name}" alt="A wall" width="90" height="60"><img src="/media/1/assets/${cover?.name}" alt="">`,
    );
    expect(Buffer.from(drawing?.bytes ?? []).toString()).toBe(
      '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="60" color="#211e1a" viewBox="0 0 90 60"><title>A wall</title><path d="M0 0h9"></path></svg>',
    );
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

describe('a book of images', () => {
  const svg = (text: string) =>
    `<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x.dtd"><svg xmlns="http://www.w3.org/2000/svg" width="600" height="800"><title>${text}</title><script>alert(1)</script><text y="20">${text}</text></svg>`;
  const opf = (items: string) =>
    `<package version="3.0"><metadata><title>A comic</title></metadata><manifest>${items}</manifest><spine><itemref idref="one"/><itemref idref="two"/></spine></package>`;

  test('has its pages as chapters, drawn or photographed', async () => {
    const { fragments, assets, title } = await book({
      chapters: [],
      files: [
        {
          name: 'OEBPS/book.opf',
          content: opf(
            '<item id="one" href="one.svg" media-type="image/svg+xml"/><item id="two" href="two.png" media-type="image/png"/>',
          ),
        },
        { name: 'OEBPS/one.svg', content: svg('A page &amp; more') },
        { name: 'OEBPS/two.png', content: PNG },
      ],
    });
    const [page, picture] = assets;
    expect(title).toBe('A comic');
    expect(fragments.map(({ html_sanitized }) => html_sanitized)).toEqual([
      `<p><img src="/media/1/assets/${page?.name}" alt="A page &amp; more"></p>`,
      `<p><img src="/media/1/assets/${picture?.name}" alt=""></p>`,
    ]);
    expect(Buffer.from(page?.bytes ?? []).toString()).toBe(
      '<svg xmlns="http://www.w3.org/2000/svg" width="600" height="800" color="#211e1a"><title>A page &amp; more</title><text y="20">A page &amp; more</text></svg>',
    );
  });

  test('has no page for an invalid image', async () => {
    const items =
      '<item id="one" href="one.svg" media-type="image/svg+xml"/><item id="two" href="two.png" media-type="image/png"/>';
    const { fragments } = await book({
      chapters: [],
      files: [
        { name: 'OEBPS/book.opf', content: opf(items) },
        { name: 'OEBPS/one.svg', content: svg('A page') },
        { name: 'OEBPS/two.png', content: 'not an image, but some text' },
      ],
    });
    expect(fragments).toHaveLength(1);
  });

  test('in SVG that chapters refer to has them as assets', async () => {
    const { fragments, assets } = await book({
      chapters: [
        { file: 'text/one.xhtml', title: 'One', body: '<p><img src="../map.svg" alt="A map"/></p>' },
      ],
      files: [
        {
          name: 'OEBPS/book.opf',
          content: opf(
            '<item id="one" href="text/one.xhtml" media-type="application/xhtml+xml"/><item id="map" href="map.svg" media-type="image/svg+xml"/>',
          ),
        },
        { name: 'OEBPS/map.svg', content: svg('North') },
      ],
    });
    expect(fragments[0]?.html_sanitized).toBe(
      `<p><img src="/media/1/assets/${assets[0]?.name}" alt="A map"></p>`,
    );
    expect(assets[0]).toMatchObject({ content_type: 'image/svg+xml', name: expect.stringMatching(/\.svg$/) });
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
