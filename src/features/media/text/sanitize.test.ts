import fc from 'fast-check';
import { type DefaultTreeAdapterMap, defaultTreeAdapter, html as namespaces, parseFragment } from 'parse5';
import { describe, expect, test } from 'vitest';
import { ATTACKS } from '../../../../test/support/fixtures/attacks.ts';
import { canonicalText } from './canonical-text.ts';
import { parseMarkup } from './markup.ts';
import { sanitizeNodes } from './sanitize.ts';

const sanitizeHtml = (html: string, options: Parameters<typeof sanitizeNodes>[1]) =>
  sanitizeNodes(parseMarkup(html), options);

const PROXY = '/images?url=';
const options = {
  baseUrl: 'https://site.example/blog/post.html',
  rewriteImage: (url: string) => `${PROXY}${encodeURIComponent(url)}`,
};
const clean = (html: string) => sanitizeHtml(html, options);

type Node = DefaultTreeAdapterMap['childNode'];

/** Returns every element of the result, as a browser would parse it. */
function elementsOf(html: string, scriptingEnabled: boolean): DefaultTreeAdapterMap['element'][] {
  const found: DefaultTreeAdapterMap['element'][] = [];
  const block = defaultTreeAdapter.createElement('div', namespaces.NS.HTML, []);
  const queue: Node[] = [...parseFragment(block, html, { scriptingEnabled }).childNodes];
  for (let node = queue.pop(); node; node = queue.pop()) {
    if (!('tagName' in node)) continue;
    found.push(node);
    queue.push(...node.childNodes);
    if ('content' in node) queue.push(...(node as DefaultTreeAdapterMap['template']).content.childNodes);
  }
  return found;
}

const SAFE_ATTRIBUTES =
  /^(alt|aria-hidden|aria-label|class|colspan|data-inline|data-note|datetime|dir|height|href|id|lang|rel|reversed|role|rowspan|scope|span|src|start|tabindex|target|title|type|value|width)$/;

const MATH_ELEMENTS =
  /^(math|mrow|mi|mn|mo|ms|mtext|mspace|mfrac|msqrt|mroot|mstyle|merror|mpadded|mphantom|msub|msup|msubsup|munder|mover|munderover|mmultiscripts|mprescripts|none|mtable|mtr|mtd)$/;
const MATH_ATTRIBUTES =
  /^(accent|accentunder|alttext|columnalign|columnspan|depth|dir|display|displaystyle|fence|form|height|largeop|linethickness|lspace|mathvariant|maxsize|minsize|movablelimits|rowspan|rspace|scriptlevel|separator|stretchy|symmetric|tabindex|voffset|width)$/;

const HTML_ELEMENTS =
  /^(a|abbr|address|article|aside|b|bdi|bdo|blockquote|br|caption|cite|code|col|colgroup|dd|del|details|dfn|div|dl|dt|em|figcaption|figure|footer|h[1-6]|header|hr|i|img|ins|kbd|li|main|mark|ol|p|pre|q|rp|rt|ruby|s|samp|section|small|span|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead|time|tr|u|ul|var|wbr)$/;

/** Checks the parsed result: nothing runs, loads or sends anything. One expectation for all of it, because each takes time. */
function expectHarmless(html: string): void {
  const elements = [true, false].flatMap((scripting) => elementsOf(html, scripting));
  expect(elements.filter((element) => !isHarmless(element)).map(describeElement)).toEqual([]);
}

function isHarmless({ tagName, namespaceURI, attrs, parentNode }: DefaultTreeAdapterMap['element']): boolean {
  if (namespaceURI === namespaces.NS.MATHML)
    return MATH_ELEMENTS.test(tagName) && attrs.every(({ name }) => MATH_ATTRIBUTES.test(name));
  // Nothing of HTML is inside of a formula.
  const around = (parentNode as DefaultTreeAdapterMap['element'] | null)?.namespaceURI ?? namespaceURI;
  return (
    namespaceURI === namespaces.NS.HTML &&
    around === namespaces.NS.HTML &&
    HTML_ELEMENTS.test(tagName) &&
    attrs.every(isHarmlessAttribute)
  );
}

function isHarmlessAttribute({ name, value }: { name: string; value: string }): boolean {
  if (name === 'src') return value.startsWith(PROXY);
  if (name === 'class') return /^(table-box|language-[a-z0-9+#._-]+)$/.test(value);
  if (name === 'id') return value.startsWith('n-');
  if (name === 'href' && !value.startsWith('#n-'))
    return ['http:', 'https:', 'mailto:'].includes(new URL(value).protocol);
  return SAFE_ATTRIBUTES.test(name);
}

const describeElement = ({ tagName, attrs }: DefaultTreeAdapterMap['element']) => ({ tagName, attrs });

describe('attacks', () => {
  test('the corpus is large', () => expect(ATTACKS.length).toBeGreaterThan(150));

  test.each(ATTACKS)('%s', (attack) => {
    const html = clean(attack);
    expectHarmless(html);
    // Sanitising is idempotent: a second parse changes nothing.
    expect(canonicalText(clean(html))).toBe(canonicalText(html));
    expectHarmless(clean(html));
  });

  test('combined in any order', () => {
    const pieces = fc.array(fc.oneof(fc.constantFrom(...ATTACKS), fc.string({ maxLength: 8 })), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(pieces, (parts) => expectHarmless(clean(parts.join('')))),
      { numRuns: 500 },
    );
  });

  test('truncated', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ATTACKS), fc.nat(200), fc.constantFrom(...ATTACKS), (a, cut, b) =>
        expectHarmless(clean(a.slice(0, cut) + b)),
      ),
      { numRuns: 500 },
    );
  });
});

const BOX = '<div class="table-box" tabindex="0" role="region" aria-label="Table">';

describe('what is kept', () => {
  test.each([
    ['<p>One <em>two</em> <strong>three</strong></p>', '<p>One <em>two</em> <strong>three</strong></p>'],
    ['<h2 id="x" class="y">Title</h2>', '<h2>Title</h2>'],
    ['<P STYLE="color:red" onclick="x()">t</P>', '<p>t</p>'],
    [
      '<ol start="3" reversed type="a"><li value="7">x</li></ol>',
      '<ol start="3" reversed="" type="a"><li value="7">x</li></ol>',
    ],
    ['<td colspan="2">x</td>', 'x'],
    [
      '<table><tr><th scope="row" colspan="2">a</th><td rowspan="99999">b</td></tr></table>',
      `${BOX}<table><tbody><tr><th scope="row" colspan="2">a</th><td>b</td></tr></tbody></table></div>`,
    ],
    ['<custom-element>text <b>bold</b></custom-element>', 'text <b>bold</b>'],
    ['<form action="/x"><p>In a form</p><input value="x"><button>Send</button></form>', '<p>In a form</p>'],
    ['<noscript><p>Without scripts</p></noscript>', '<p>Without scripts</p>'],
    ['<span lang="fr" dir="rtl" title="t">x</span>', '<span lang="fr" dir="rtl" title="t">x</span>'],
    ['a &lt;b&gt; &amp; "c"', 'a &lt;b&gt; &amp; "c"'],
    ['<b title="&quot;&lt;&gt;">x</b>', '<b title="&quot;&lt;&gt;">x</b>'],
    ['<p hidden>secret</p><p style="display: none">x</p>shown', 'shown'],
    ['<span aria-hidden="true">∑</span>', '<span aria-hidden="true">∑</span>'],
    ['<ruby>漢<rt>かん</rt></ruby>', '<ruby>漢<rt>かん</rt></ruby>'],
    ['<pre><code>if (a &lt; b) {}</code></pre>', '<pre tabindex="0"><code>if (a &lt; b) {}</code></pre>'],
    ['<time datetime="2024-02-29T10:00">then</time>', '<time datetime="2024-02-29T10:00">then</time>'],
  ])('%s', (given, expected) => {
    expect(clean(given)).toBe(expected);
  });

  test.each([
    ['/x', 'https://site.example/x'],
    ['other.html?a=1&b=2', 'https://site.example/blog/other.html?a=1&amp;b=2'],
    ['//cdn.example/y', 'https://cdn.example/y'],
    ['#part', 'https://site.example/blog/post.html#part'],
    ['HTTP://EXAMPLE.ORG', 'http://example.org/'],
    ['mailto:me@example.org', 'mailto:me@example.org'],
  ])('a link to %s becomes absolute and sends no referrer', (href, absolute) => {
    expect(clean(`<a href="${href}" target="_self" rel="opener" download ping="/p">x</a>`)).toBe(
      `<a href="${absolute}" rel="noopener noreferrer" target="_blank">x</a>`,
    );
  });

  test('a link with another scheme keeps its text', () => {
    expect(clean('<a href="javascript:x()">text</a>')).toBe('<a>text</a>');
    expect(clean('<a href="ftp://example.org/">text</a>')).toBe('<a>text</a>');
    expect(sanitizeHtml('<a href="/relative">x</a>', { rewriteImage: () => undefined })).toBe('<a>x</a>');
  });

  test('an image goes through the proxy, from the best of its sources', () => {
    expect(clean('<img src="a.png" srcset="b.png 2x" alt="A" width="10" height="auto" loading="lazy">')).toBe(
      `<img src="${PROXY}https%3A%2F%2Fsite.example%2Fblog%2Fb.png" alt="A" width="10">`,
    );
    expect(clean('<picture><source srcset="/b.webp"><img src="/a.png"></picture>')).toBe(
      `<img src="${PROXY}https%3A%2F%2Fsite.example%2Fb.webp">`,
    );
    expect(clean('<img src="data:image/png;base64,AAAA"><img><img src="">x')).toBe('x');
    expect(sanitizeHtml('<img src="https://x.example/a.png">', { rewriteImage: () => undefined })).toBe('');
  });
});

describe('links within the page', () => {
  test.each([
    [
      'lead to the element, which keeps its id under a prefix',
      '<a href="#part">go</a><h2 id="part">Part</h2><h2 id="other">Other</h2>',
      '<a href="#n-part">go</a><h2 id="n-part">Part</h2><h2>Other</h2>',
    ],
    [
      'may have the address of the page',
      '<a href="/blog/post.html#a%20b">go</a><p id="a b">x</p><a href="post.html#c">go</a><p id="c">y</p>',
      '<a href="https://site.example/blog/post.html#a%20b" rel="noopener noreferrer" target="_blank">go</a><p>x</p><a href="#n-c">go</a><p id="n-c">y</p>',
    ],
    [
      'may lead to an old anchor',
      '<a href="#a">go</a><a name="a">here</a>',
      '<a href="#n-a">go</a><a id="n-a">here</a>',
    ],
    [
      'lead to the first of several elements with an id',
      '<a href="#a">go</a><p id="a">1</p><p id="a">2</p>',
      '<a href="#n-a">go</a><p id="n-a">1</p><p>2</p>',
    ],
    [
      'may have letters of any language',
      '<a href="#%E6%B3%A8">go</a><p id="注">x</p>',
      '<a href="#n-注">go</a><p id="n-注">x</p>',
    ],
    [
      'do not lead to what is dropped',
      '<a href="#a">go</a><nope id="a">x</nope>',
      '<a href="https://site.example/blog/post.html#a" rel="noopener noreferrer" target="_blank">go</a>x',
    ],
  ])('%s', (_, given, expected) => {
    expect(clean(given)).toBe(expected);
  });

  test.each([
    ['a superscript', '<sup><a href="#a">1</a></sup>'],
    ['a link around a superscript', '<a href="#a"><sup>1</sup></a>'],
    ['a role', '<a role="doc-noteref" href="#a">1</a>'],
    ['the type of a book', '<a epub:type="noteref" href="#a">1</a>'],
  ])('a reference to a note is marked: %s', (_, link) => {
    expect(clean(`<p>x${link}</p><p id="a">Note</p>`)).toContain('<a href="#n-a" data-note="">');
  });

  test.each([
    ['a link in the text', '<a href="#a">see below</a>'],
    ['the link back from a note', '<sup><a href="#fnref1">↩</a></sup><i id="fnref1"></i>'],
    ['the link back by role', '<sup><a role="doc-backlink" href="#a">↩</a></sup>'],
    ['a note on another page', '<sup><a href="/notes#a">1</a></sup>'],
  ])('nothing else is marked: %s', (_, link) => {
    expect(clean(`<p>x${link}</p><p id="a">Note</p>`)).not.toContain('data-note');
  });
});

describe('tables', () => {
  test('scroll in a box of their own, which has the name of the table', () => {
    expect(clean('<table><caption>Tides &amp; <b>times</b></caption><tr><td>x</td></tr></table>')).toBe(
      '<div class="table-box" tabindex="0" role="region" aria-label="Tides &amp; times"><table><caption>Tides &amp; <b>times</b></caption><tbody><tr><td>x</td></tr></tbody></table></div>',
    );
  });

  test('in tables have no box', () => {
    expect(
      clean('<table><tr><td><table><tr><td>x</td></tr></table></td></tr></table>').split('table-box'),
    ).toHaveLength(2);
  });
});

describe('code', () => {
  test.each([
    ['language-js', 'js'],
    ['hljs language-C++', 'c++'],
    ['lang-py', 'py'],
    ['highlight-source-shell', 'shell'],
    ['brush: jscript; toolbar: false', 'jscript'],
    ['sourceCode haskell', 'haskell'],
  ])('with the class %j is %s', (name, language) => {
    expect(clean(`<pre class="${name}">x</pre>`)).toBe(
      `<pre tabindex="0" class="language-${language}">x</pre>`,
    );
  });

  test.each(['language-plaintext', 'nohighlight', 'x', 'language-"onclick', 'language-', 'highlight'])(
    'with the class %j has no language',
    (name) => {
      expect(clean(`<pre class='${name}'>x</pre>`)).toBe('<pre tabindex="0">x</pre>');
    },
  );

  test('keeps its spaces and its first empty line', () => {
    expect(clean('<pre>\n\n  a\n\tb\n</pre>')).toBe('<pre tabindex="0">\n\n  a\n\tb\n</pre>');
  });
});

test('an image in a sentence is marked, one that stands alone is not', () => {
  const image = '<img src="https://site.example/a.png">';
  const same = { baseUrl: options.baseUrl, rewriteImage: (url: string) => url };
  expect(sanitizeHtml(`<p>Press ${image} twice.</p><p> ${image} </p>`, same)).toBe(
    '<p>Press <img src="https://site.example/a.png" data-inline=""> twice.</p><p> <img src="https://site.example/a.png"> </p>',
  );
});

describe('sanitising twice', () => {
  const again = { baseUrl: options.baseUrl, rewriteImage: (url: string) => url };
  const { block } = fc.letrec<{ inline: string; block: string; math: string }>((tie) => {
    const within = (tag: string, content: fc.Arbitrary<string>, attributes = '') =>
      fc.array(content, { maxLength: 3 }).map((parts) => `<${tag}${attributes}>${parts.join('')}</${tag}>`);
    return {
      // Tags of MathML in any order, also with HTML in them. The parser repairs them.
      math: fc
        .array(
          fc.constantFrom(
            ...'mi mo mn mtext mrow msup mfrac msqrt mover munderover mmultiscripts mtable mtr mtd mfenced semantics annotation annotation-xml mglyph maction mspace mprescripts none menclose malignmark'
              .split(' ')
              .flatMap((tag) => [`<${tag}>`, `</${tag}>`]),
            '<mi mathvariant="bold">',
            '<annotation-xml encoding="text/html">',
            '<mo stretchy="true" onclick="x()">',
            '<b>',
            '<style>',
            '</style>',
            '<img src=x onerror=alert(1)>',
            '<svg>',
            '</svg>',
            'x',
            '2',
            ' ',
            '+',
            '&lt;img src=x onerror=alert(1)&gt;',
          ),
          { maxLength: 20 },
        )
        .map((parts) => `<math${parts.length % 2 ? ' display="block"' : ''}>${parts.join('')}</math>`),
      inline: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(
          'text',
          ' ',
          '\n',
          '&lt;b&gt;',
          '&amp;',
          '<br>',
          '<img src="/i.png" alt="x">',
          '<a href="#x">to</a>',
          '<a href="#x"><sup>1</sup></a>',
          '<i id="x"></i>',
          '<code class="lang-js">a  b</code>',
        ),
        tie('math'),
        within('b', tie('inline')),
        within('sup', tie('inline')),
        within('unknown-element', tie('inline')),
      ),
      block: fc.oneof(
        { maxDepth: 4 },
        within('p', tie('inline')),
        within('p', tie('inline'), ' id="x"'),
        within('pre', tie('inline'), ' class="brush: js"'),
        within('div', fc.oneof(tie('block'), tie('inline'))),
        within('ul', within('li', tie('inline'))),
        within('table', within('tr', within('td', fc.oneof(tie('block'), tie('inline'))))),
      ),
    };
  });

  test('changes nothing', () => {
    fc.assert(
      fc.property(fc.array(block, { maxLength: 3 }), (blocks) => {
        const once = sanitizeHtml(blocks.join(''), again);
        // So its text is the same, too.
        expect(sanitizeHtml(once, again)).toBe(once);
        expectHarmless(clean(blocks.join('')));
      }),
      { numRuns: 2000 },
    );
  });
});

test('a document with a hundred thousand levels is sanitised', () => {
  const html = clean('<span>'.repeat(100_000));
  expect(html.length).toBe(100_000 * '<span></span>'.length);
});
