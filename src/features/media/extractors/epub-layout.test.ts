import { describe, expect, test } from 'vitest';
import { useExtractors } from '../../../../test/support/extractors.ts';
import { type Chapter, type EpubOptions, makeEpub, PNG } from '../../../../test/support/fixtures/epub.ts';

const extractors = useExtractors();
const book = (options: EpubOptions) =>
  extractors.epub({ bytes: new Uint8Array(makeEpub(options)), assetPath: '/media/1/assets/' });

const VIEWPORT = '<meta name="viewport" content="width=1200, height=1600"/>';
const FIXED = '<meta property="rendition:layout">pre-paginated</meta>';
const page = (body: string, more: Partial<Chapter> = {}): Chapter => ({
  file: 'text/one.xhtml',
  title: 'One',
  body,
  head: VIEWPORT,
  ...more,
});
const css = (content: string, name = 'OEBPS/text/style.css') => ({ name, content });

async function onePage(options: EpubOptions) {
  const { fragments, assets } = await book({ metadata: FIXED, ...options });
  const [fragment] = fragments;
  const { layout } = fragment ?? {};
  return { fragment, assets, styles: layout?.type === 'page' ? layout.styles : '' };
}

describe('a page of a fixed-layout book', () => {
  test('keeps its size, its classes, its ids, and the styles that it uses', async () => {
    const { fragment, styles } = await onePage({
      chapters: [
        page('<div class="line big" id="l1" style="left:5px">Once <span class="unstyled">upon</span></div>'),
      ],
      files: [
        css('body{margin:0}.line{position:absolute;top:30px}#l1{color:red}.other{color:blue}#l2 p{top:0}'),
      ],
    });
    expect(fragment?.html_sanitized).toBe(
      '<div class="page-root"><div class="page-body"><div id="n-l1" class="b-line b-big s1">Once <span class="b-unstyled">upon</span></div></div></div>',
    );
    expect(fragment?.layout).toEqual({ type: 'page', width: 1200, height: 1600, styles });
    expect(styles).toBe(
      '@layer book{div:where(.page-body){margin:0}.b-line{position:absolute;top:30px}#n-l1{color:red}}@layer own{.s1{left:5px}}',
    );
    expect(fragment?.canonical_text).toBe('Once upon');
  });

  test('has the styles of its sheets, of what they import, and of its head, in their order', async () => {
    const { styles } = await onePage({
      chapters: [page('<p>x</p>', { head: `${VIEWPORT}<style>p{top:3px}</style>` })],
      files: [
        css('@import "../css/base.css"; p{top:2px}'),
        css('@import "../text/style.css"; p{top:1px}', 'OEBPS/css/base.css'),
      ],
    });
    expect(styles).toBe('@layer book{p{top:1px}p{top:2px}p{top:3px}}@layer own{}');
  });

  test('shows images of the book in its styles, and stores only those', async () => {
    const { styles, assets } = await onePage({
      chapters: [page('<p class="a" style="background:url(../images/cover.png)">x</p>')],
      files: [
        css('.a{background-image:url(../images/cover.png)}.a{background:url(https://tracker.example/x.png)}'),
      ],
    });
    const url = `/media/1/assets/${assets[0]?.name}`;
    expect(styles).toBe(
      `@layer book{.b-a{background-image:url(${url})}}@layer own{.s1{background:url(${url})}}`,
    );
    expect(assets).toHaveLength(1);
  });

  test('has drawings in their place, and their words as text', async () => {
    const { fragment, assets, styles } = await onePage({
      chapters: [
        page(
          '<svg class="d" width="100%" height="100%" viewBox="0 0 12 16" style="top:2px"><rect width="9" height="9"/><text>Wolf!</text></svg><svg viewBox="0 0 9 9"><image href="../images/cover.png"/></svg>',
        ),
      ],
    });
    const [drawing, picture] = [...assets].sort((a) => (a.content_type === 'image/svg+xml' ? -1 : 1));
    expect(fragment?.html_sanitized).toBe(
      `<div class="page-root"><div class="page-body"><img src="/media/1/assets/${drawing?.name}" alt="" class="b-d s1"><span class="page-words">Wolf!</span><img src="/media/1/assets/${picture?.name}" alt="" class="s2"></div></div>`,
    );
    expect(styles).toBe(
      '@layer book{}@layer own{.s1{width:100%;height:100%;object-fit:contain;top:2px}.s2{width:100%;height:auto;object-fit:contain}}',
    );
    expect(fragment?.canonical_text).toBe('Wolf!');
  });

  test('runs nothing, and its classes are not those of the app', async () => {
    const { fragment } = await onePage({
      chapters: [
        page(
          '<div class="page-root reader-bar" onclick="x()"><script>x()</script><iframe src="x"/><style>p{top:0}</style><form><button>x</button></form></div>',
        ),
      ],
    });
    expect(fragment?.html_sanitized).toBe(
      '<div class="page-root"><div class="page-body"><div class="b-page-root b-reader-bar"></div></div></div>',
    );
  });

  test('that is an image file has its size and its words', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 800"><text>The end</text></svg>';
    const { fragments } = await book({
      chapters: [],
      files: [
        {
          name: 'OEBPS/book.opf',
          content: `<package version="3.0"><metadata>${FIXED}</metadata><manifest><item id="one" href="one.svg" media-type="image/svg+xml"/><item id="two" href="two.png" media-type="image/png"/></manifest><spine><itemref idref="one"/><itemref idref="two"/></spine></package>`,
        },
        { name: 'OEBPS/one.svg', content: svg },
        { name: 'OEBPS/two.png', content: PNG },
      ],
    });
    expect(fragments).toMatchObject([
      { canonical_text: 'The end', layout: { type: 'page', width: 600, height: 800 } },
      { canonical_text: '', layout: { type: 'page', width: null, height: null } },
    ]);
  });

  test('has ids and classes of any characters, which end no rule', async () => {
    const { fragment, styles } = await onePage({
      chapters: [page('<p id="a}b{c" class="見 x}y{z">x</p>')],
      files: [css('#a\\}b\\{c{top:1px}.見{top:2px}.x\\}y\\{z{top:3px}')],
    });
    expect(fragment?.html_sanitized).toContain('<p id="n-a}b{c" class="b-_898b b-x_7dy_7bz">');
    expect(styles).toBe(
      '@layer book{#n-a\\}b\\{c{top:1px}.b-_898b{top:2px}.b-x_7dy_7bz{top:3px}}@layer own{}',
    );
  });

  test('has no more styles than it may', async () => {
    const many = Array.from(
      { length: 20_000 },
      (_, i) => `.a{left:${i}px;font-family:"a name of some length"}`,
    );
    const { styles } = await onePage({ chapters: [page('<p class="a">x</p>')], files: [css(many.join(''))] });
    expect(styles.length).toBeGreaterThan(200_000);
    expect(styles.length).toBeLessThan(300_000);
  });
});

describe('a book has fixed pages', () => {
  const isFixed = async (options: EpubOptions) =>
    (await book({ chapters: [page('<p>x</p>')], ...options })).fragments.map(
      ({ layout }) => layout?.type === 'page',
    );
  const apple = (value: string) =>
    `<display_options><platform name="*"><option name="fixed-layout">${value}</option></platform></display_options>`;
  const options = (content: string) => ({ name: 'META-INF/com.apple.ibooks.display-options.xml', content });

  test.each<[string, boolean, EpubOptions]>([
    ['when it says so', true, { metadata: FIXED }],
    ['in the words of Kindle', true, { metadata: '<meta name="fixed-layout" content="true"/>' }],
    ['in the words of Apple', true, { files: [options(apple('true'))] }],
    ['not when Apple says no', false, { files: [options(apple('false'))] }],
    [
      'not when EPUB 3 says that its text flows',
      false,
      { metadata: '<meta property="rendition:layout">reflowable</meta>', files: [options(apple('true'))] },
    ],
    ['not by a viewport alone', false, {}],
    ['not without a size', false, { metadata: FIXED, chapters: [page('<p>x</p>', { head: '' })] }],
    [
      'with a size for all pages',
      true,
      {
        metadata: `${FIXED}<meta name="original-resolution" content="800x1280"/>`,
        chapters: [page('<p>x</p>', { head: '' })],
      },
    ],
    [
      'of one image without a size',
      true,
      { metadata: FIXED, chapters: [page('<img src="../images/cover.png"/>', { head: '' })] },
    ],
  ])('%s', async (_what, expected, given) => {
    expect(await isFixed(given)).toEqual([expected]);
  });

  test('beside chapters that flow', async () => {
    const chapters = [
      page('<p>a</p>'),
      page('<p>b</p>', { file: 'text/two.xhtml', properties: 'rendition:layout-reflowable' }),
    ];
    expect(await isFixed({ metadata: FIXED, chapters })).toEqual([true, false]);
    const pictured = [
      chapters[0],
      page('<p>b</p>', { file: 't.xhtml', properties: 'x rendition:layout-pre-paginated' }),
    ];
    expect(await isFixed({ chapters: pictured as Chapter[] })).toEqual([false, true]);
  });
});

describe('vertical text', () => {
  const layouts = async (options: EpubOptions) => (await book(options)).fragments.map(({ layout }) => layout);
  const VERTICAL = { type: 'vertical', writing_mode: 'vertical-rl' };
  const chapter = (body: string): Chapter[] => [{ file: 'text/one.xhtml', title: 'One', body }];

  test.each<[string, unknown, EpubOptions]>([
    ['in the style of the root', VERTICAL, { files: [css('html { -epub-writing-mode: vertical-rl }')] }],
    ['in the style of the body', VERTICAL, { files: [css('body { -webkit-writing-mode: vertical-rl }')] }],
    ['in an old spelling', VERTICAL, { files: [css('body { writing-mode: tb-rl }')] }],
    [
      'from left to right',
      { ...VERTICAL, writing_mode: 'vertical-lr' },
      { files: [css(':root{writing-mode:vertical-lr}')] },
    ],
    ['in the metadata', VERTICAL, { metadata: '<meta name="primary-writing-mode" content="vertical-rl"/>' }],
    [
      'unless the style says otherwise',
      null,
      {
        metadata: '<meta name="primary-writing-mode" content="vertical-rl"/>',
        files: [css('html { writing-mode: horizontal-tb }')],
      },
    ],
    [
      'in the style of an element around all text',
      VERTICAL,
      {
        chapters: chapter('<div class="main"><p>猫</p></div>'),
        files: [css('.main{writing-mode:vertical-rl}')],
      },
    ],
    [
      'in the head of the chapter',
      VERTICAL,
      {
        chapters: [
          {
            ...(chapter('<p>猫</p>')[0] as Chapter),
            head: '<style><![CDATA[ html &gt; body { writing-mode: vertical-rl } ]]></style>',
          },
        ],
      },
    ],
    ['not in the style of another element', null, { files: [css('td, .v { writing-mode: vertical-rl }')] }],
    ['not for printers', null, { files: [css('@media print { html { writing-mode: vertical-rl } }')] }],
    ['not in other books', null, {}],
  ])('%s', async (_what, expected, options) => {
    expect(await layouts({ chapters: chapter('<p>港の時計は遅れていた。</p>'), ...options })).toEqual([
      expected,
    ]);
  });

  test('is that of the classes of each chapter', async () => {
    const xhtml = (name: string) => ({
      name: `OEBPS/text/${name}.xhtml`,
      content: `<html class="${name}"><head><link rel="stylesheet" href="style.css"/></head><body><p>${name}</p></body></html>`,
    });
    expect(
      await layouts({
        chapters: [...chapter(''), { file: 'text/hltr.xhtml', title: 'H', body: '' }].map((one, index) =>
          index === 0 ? { ...one, file: 'text/vrtl.xhtml' } : one,
        ),
        files: [
          css('.vrtl { writing-mode: vertical-rl } html.hltr { writing-mode: horizontal-tb }'),
          xhtml('vrtl'),
          xhtml('hltr'),
        ],
      }),
    ).toEqual([VERTICAL, null]);
  });

  test('keeps numbers that stand upright in it', async () => {
    const { fragments } = await book({
      chapters: chapter('<p>明治<span class="tcy">38</span>年<b class="other">x</b></p>'),
      files: [css('html { writing-mode: vertical-rl } span.tcy { -webkit-text-combine: horizontal }')],
    });
    expect(fragments[0]?.html_sanitized).toBe('<p>明治<span data-upright="">38</span>年<b>x</b></p>');
  });

  test.each([
    ['the spine', { spine: 'page-progression-direction="rtl"' }, 'rtl'],
    ['vertical metadata', { metadata: '<meta name="primary-writing-mode" content="horizontal-rl"/>' }, 'rtl'],
    ['nothing', {}, 'ltr'],
  ])('the pages turn as %s says', async (_what, options, direction) => {
    expect((await book(options)).book?.direction).toBe(direction);
  });
});
