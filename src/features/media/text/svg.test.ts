import { describe, expect, test } from 'vitest';
import { type Element, parseMarkup } from './markup.ts';
import { isIcon, onlyImage, sanitizeSvg } from './svg.ts';

const parsed = (content: string, attributes = 'width="100" height="50"') =>
  parseMarkup(`<svg ${attributes}>${content}</svg>`)[0] as Element;
const drawn = (content: string, attributes?: string) => sanitizeSvg(parsed(content, attributes));
const PATH = '<path d="M0 0h9v9z"></path>';
const START = '<svg xmlns="http://www.w3.org/2000/svg" width="100" height="50" color="#211e1a">';

describe('a sanitised drawing', () => {
  test.each([
    [
      'shapes',
      '<g transform="scale(2)"><rect x="1" y="1" width="5" height="5" fill="currentColor"/></g>',
      '<g transform="scale(2)"><rect x="1" y="1" width="5" height="5" fill="currentColor"></rect></g>',
    ],
    [
      'text',
      '<text x="1"><tspan dy="1">a &lt; b</tspan></text>',
      '<text x="1"><tspan dy="1">a &lt; b</tspan></text>',
    ],
    [
      'gradients',
      `<defs><linearGradient id="g"><stop offset="0" stop-color="red"/></linearGradient></defs><rect fill="url(#g)"/>`,
      '<defs><linearGradient id="g"><stop offset="0" stop-color="red"></stop></linearGradient></defs><rect fill="url(#g)"></rect>',
    ],
    [
      'parts of the drawing itself',
      `<path id="p" d="M0 0"/><use xlink:href="#p" x="4"/>`,
      '<path id="p" d="M0 0"></path><use href="#p" x="4"></use>',
    ],
    [
      'styles',
      '<style>.a{fill:red;stroke:url(https://e.example)} @import "x"; @media print{.a{fill:blue}} .b{opacity:.5}</style><path class="a" style="fill:red;background:url(//e.example)"/>',
      '<style>.a{fill:red}.b{opacity:.5}</style><path class="a" style="fill:red"></path>',
    ],
    ['the content of links', '<a xlink:href="javascript:alert(1)"><text>x</text></a>', '<text>x</text>'],
    [
      'embedded pictures',
      '<image href="data:image/png;base64,AAAA" width="3"/>',
      '<image href="data:image/png;base64,AAAA" width="3"></image>',
    ],
    [
      'labels of diagrams',
      '<foreignObject x="10" y="10" width="20" height="10"><div onclick="x()">A <b>label</b></div></foreignObject>',
      '<text x="20" y="15" text-anchor="middle" dominant-baseline="central" font-size="14" font-family="sans-serif">A label</text>',
    ],
  ])('keeps %s', (_, given, expected) => {
    expect(drawn(given)?.svg).toBe(`${START}${expected}</svg>`);
  });

  test.each([
    ['scripts', '<script>alert(1)</script>'],
    ['scripts by address', '<script href="data:,alert(1)"></script>'],
    [
      'animations',
      '<animate attributeName="href" to="javascript:alert(1)"/><set attributeName="onload" to="x"/>',
    ],
    [
      'other files',
      '<use href="https://e.example/x.svg#a"/><use href="data:image/svg+xml,x#a"/><image href="https://e.example/x.png"/>',
    ],
    ['drawings in drawings', '<image href="data:image/svg+xml;base64,AAAA"/>'],
    ['filters', '<filter id="f"><feImage href="https://e.example"/></filter>'],
    ['frames', '<foreignObject><iframe srcdoc="x"></iframe></foreignObject>'],
    ['uses of what is not there', '<use href="#nowhere"/>'],
    ['other elements', '<metadata>x</metadata>'],
  ])('drops %s', (_, given) => {
    const svg = drawn(given + PATH)?.svg;
    expect(svg).toBe(`${START}${PATH}</svg>`);
  });

  test.each([
    ['handlers', 'onload="x()"'],
    ['handlers in capitals', 'ONCLICK="x()"'],
    ['references to other files', 'fill="url(https://e.example#a)"'],
    ['escapes', 'fill="u\\72l(https://e.example)"'],
    ['bases', 'xml:base="https://e.example"'],
  ])('drops %s', (_, attributes) => {
    expect(drawn(`<path ${attributes} d="M0 0"/>`)?.svg).toBe(`${START}<path d="M0 0"></path></svg>`);
  });

  test('keeps its own colour', () => {
    expect(drawn(PATH, 'viewBox="0 0 40 40" color="red" onload="x()"')?.svg).toBe(
      `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40" viewBox="0 0 40 40" color="red">${PATH}</svg>`,
    );
  });

  test('that multiplies itself loses what multiplies', () => {
    const bomb = Array.from(
      { length: 9 },
      (_, i) => `<g id="g${i + 1}">${`<use href="#g${i}"/>`.repeat(9)}</g>`,
    );
    const uses = drawn(`<path id="g0" d="M0 0"/>${bomb.join('')}<use href="#g9"/>`)?.svg.match(/<use/g);
    // Only the innermost are shown: they contain no others.
    expect(uses).toHaveLength(9);
  });

  test.each([
    ['is empty', ''],
    ['has only definitions', '<defs></defs><title>Nothing</title>'],
    ['is nested without end', `${'<g>'.repeat(5000)}${PATH}`],
    ['has too many elements', '<path/>'.repeat(50_000)],
  ])('is none when it %s', (_, content) => {
    expect(drawn(content)).toBeUndefined();
  });

  test('is valid XML, whatever text it contains', () => {
    expect(drawn('<text>a\u0001b\ufffe&amp;\u0000</text>')?.svg).toMatch(/<text>ab&amp;\ufffd?<\/text>/);
  });
});

describe('the name of a drawing', () => {
  test.each([
    [
      'its title and description',
      '<title>A tide</title><desc>It rises.</desc><text>x</text>',
      'A tide. It rises.',
    ],
    ['its words', '<text>High</text> <text>water</text>', 'High water'],
    ['nothing', '', ''],
  ])('is %s', (_, content, alt) => {
    expect(drawn(content + PATH)?.alt).toBe(alt);
  });

  test('is its label', () => {
    expect(drawn(PATH, 'width="99" height="99" aria-label="A tide"')?.alt).toBe('A tide');
  });
});

test.each([
  ['width="24" height="24"', true],
  ['viewBox="0 0 16 16"', true],
  ['width="1em" height="1em" viewBox="0 0 512 512"', true],
  ['style="width: 20px; height: 20px" viewBox="0 0 512 512"', true],
  ['width="400" height="300" aria-hidden="true"', true],
  ['width="0" height="0"', true],
  ['width="400" height="20"', false],
  ['width="100%" viewBox="0 0 600 400"', false],
  ['', false],
])('a drawing with %j is an icon: %s', (attributes, expected) => {
  expect(isIcon(parsed(PATH, attributes))).toBe(expected);
});

test('a drawing that only shows an image is that image', () => {
  expect(onlyImage(parsed('<title>Cover</title><image xlink:href="../cover.jpg"/>'))).toBe('../cover.jpg');
  expect(onlyImage(parsed(`<image xlink:href="../cover.jpg"/>${PATH}`))).toBeUndefined();
});
