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
  /^(alt|aria-hidden|colspan|datetime|dir|height|href|lang|rel|reversed|rowspan|scope|span|src|start|target|title|type|value|width)$/;

/** Checks the parsed result: nothing runs, loads or sends anything. */
function expectHarmless(html: string): void {
  for (const scripting of [true, false]) {
    for (const { tagName, namespaceURI, attrs } of elementsOf(html, scripting)) {
      expect(namespaceURI).toBe('http://www.w3.org/1999/xhtml');
      expect(tagName).toMatch(
        /^(a|abbr|address|article|aside|b|bdi|bdo|blockquote|br|caption|cite|code|col|colgroup|dd|del|details|dfn|div|dl|dt|em|figcaption|figure|footer|h[1-6]|header|hr|i|img|ins|kbd|li|main|mark|ol|p|pre|q|rp|rt|ruby|s|samp|section|small|span|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead|time|tr|u|ul|var|wbr)$/,
      );
      for (const { name, value } of attrs) {
        expect(name).toMatch(SAFE_ATTRIBUTES);
        if (name === 'src') expect(value.startsWith(PROXY)).toBe(true);
        if (name === 'href') expect(['http:', 'https:', 'mailto:']).toContain(new URL(value).protocol);
      }
    }
  }
}

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
      '<table><tbody><tr><th scope="row" colspan="2">a</th><td>b</td></tr></tbody></table>',
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
    ['<pre><code>if (a &lt; b) {}</code></pre>', '<pre><code>if (a &lt; b) {}</code></pre>'],
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

  test('an image goes through the proxy, without its other sources', () => {
    expect(clean('<img src="a.png" srcset="b.png 2x" alt="A" width="10" height="auto" loading="lazy">')).toBe(
      `<img src="${PROXY}https%3A%2F%2Fsite.example%2Fblog%2Fa.png" alt="A" width="10">`,
    );
    expect(clean('<picture><source srcset="b.webp"><img src="/a.png"></picture>')).toBe(
      `<img src="${PROXY}https%3A%2F%2Fsite.example%2Fa.png">`,
    );
    expect(clean('<img src="data:image/png;base64,AAAA"><img><img src="">x')).toBe('x');
    expect(sanitizeHtml('<img src="https://x.example/a.png">', { rewriteImage: () => undefined })).toBe('');
  });
});

test('a document with a hundred thousand levels is sanitised', () => {
  const html = clean('<span>'.repeat(100_000));
  expect(html.length).toBe(100_000 * '<span></span>'.length);
});
