import { describe, expect, test } from 'vitest';
import { type PageElement, parsePage } from './page-dom.ts';

const bodyOf = (html: string) => parsePage(html).body as PageElement;

describe('a page', () => {
  test('always has a body and a title', () => {
    const page = parsePage('<title> Two \n words </title>just text');
    expect([page.title, page.body?.textContent]).toEqual(['Two words', 'just text']);
    expect(parsePage('').body?.textContent).toBe('');
  });

  test('is repaired like in a browser', () => {
    expect(bodyOf('<p>one<p>two<table>lost<tr><td>cell').innerHTML).toBe(
      '<p>one</p><p>two</p>lost<table><tbody><tr><td>cell</td></tr></tbody></table>',
    );
  });

  test('is parsed with scripts disabled: scripts and templates are skipped, noscript is content', () => {
    const body = bodyOf(
      '<script>run()</script><style>p{}</style><!-- note --><template><p>later</p></template>' +
        '<noscript><p>shown</p></noscript><script type="application/ld+json">{"a":1}</script>',
    );
    expect(body.textContent).toBe('shown{"a":1}');
    expect(body.getElementsByTagName('p')).toHaveLength(1);
  });

  test('may be nested deeper than the call stack', () => {
    const body = bodyOf(`${'<div>'.repeat(100_000)}deep`);
    expect(body.textContent).toBe('deep');
    expect(body.getElementsByTagName('*')).toHaveLength(100_000);
  });
});

describe('an element', () => {
  test('has siblings among elements and among all nodes', () => {
    const body = bodyOf('<i>1</i>text<b>2</b>');
    const [first, second] = body.children as [PageElement, PageElement];
    expect(first.nextElementSibling).toBe(second);
    expect(second.previousElementSibling).toBe(first);
    expect(body.childNodes.map(({ textContent }) => textContent)).toEqual(['1', 'text', '2']);
  });

  test('can be moved, replaced and removed, and its siblings stay linked', () => {
    const body = bodyOf('<i>1</i><b>2</b><u>3</u>');
    const [first, second, third] = body.children as [PageElement, PageElement, PageElement];
    body.appendChild(first);
    expect(body.textContent).toBe('231');
    body.replaceChild(parsePage('').createElement('hr'), third);
    expect(body.innerHTML).toBe('<b>2</b><hr><i>1</i>');
    second.remove();
    expect([body.firstElementChild?.localName, body.lastChild]).toEqual(['hr', first]);
    expect([second.parentNode, second.nextSibling]).toEqual([null, null]);
  });

  test('parses its innerHTML again', () => {
    const body = bodyOf('<p class="a">1 &lt; 2 &amp; <em>3</em></p>');
    const held = body.innerHTML;
    body.innerHTML = '';
    expect(body.firstChild).toBeNull();
    body.innerHTML = held;
    expect([body.innerHTML, body.textContent]).toEqual([held, '1 < 2 & 3']);
  });

  test('finds elements of several names in document order', () => {
    const found = bodyOf('<h2>a</h2><div><h1>b</h1></div><h2>c</h2>').querySelectorAll('h1,h2');
    expect(found.map(({ textContent }) => textContent)).toEqual(['a', 'b', 'c']);
  });

  test('reads display and visibility from its style', () => {
    const style = (value: string) => bodyOf(`<p style="${value}">`).firstElementChild?.style;
    expect(style('color: red; DISPLAY :none')).toEqual({ display: 'none', visibility: '' });
    expect(style('visibility:hidden')).toEqual({ display: '', visibility: 'hidden' });
    expect(style('--display: none')).toEqual({ display: '', visibility: '' });
  });

  test('has attributes that can be set and removed', () => {
    const element = bodyOf('<img src="a.png" alt="">').firstElementChild as PageElement;
    element.setAttribute('src', 'b.png');
    element.removeAttribute('alt');
    element.className = 'wide';
    element.id = 'first';
    expect([element.src, element.hasAttribute('alt'), element.className, element.getAttribute('id')]).toEqual(
      ['b.png', false, 'wide', 'first'],
    );
  });
});
