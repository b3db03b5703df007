import { describe, expect, test } from 'vitest';
import { importsOf, pageRules, pageStyles, parseSheet } from './page-styles.ts';

const images = {
  find: (url: string) =>
    url.startsWith('images/') ? { name: url, url: `/assets/${url.slice(7)}` } : undefined,
};
const rules = (css: string) => {
  const sheet = parseSheet(css);
  return sheet ? pageRules(sheet, images) : undefined;
};
const written = (css: string) =>
  rules(css)
    ?.map(({ selector, declarations }) => `${selector}{${declarations}}`)
    .join('');

test('a page keeps what places, sizes and colours', () => {
  expect(
    written(
      '#box.title > p:first-child, span { position: absolute; left: 10.5px; top: -2em; font: bold 12pt/1.2 "Gill Sans", serif; color: rgba(1,2,3,.5) !important }',
    ),
  ).toBe(
    '#n-box.b-title>p:first-child{position:absolute;left:10.5px;top:-2em;font:bold 12pt/1.2"Gill Sans",serif;color:rgba(1,2,3,.5)!important}' +
      'span{position:absolute;left:10.5px;top:-2em;font:bold 12pt/1.2"Gill Sans",serif;color:rgba(1,2,3,.5)!important}',
  );
});

test('prefixes are removed, and units of the window become those of the page', () => {
  expect(written('p { -webkit-transform: rotate(3deg); width: 50vw; height: calc(2rem + 1vh) }')).toBe(
    'p{transform:rotate(3deg);width:50cqw;height:calc(32px + 1cqh)}',
  );
});

test('the root and the body of a page are the elements that stand for them', () => {
  expect(rules('html, body.dark, :root, div { margin: 0 }')?.map(({ selector }) => selector)).toEqual([
    'div:where(.page-root)',
    'div:where(.page-body).b-dark',
    '.page-root',
    'div:where(:not(.page-root,.page-body))',
  ]);
});

test('names with unusual characters are the same in the style and in the page', () => {
  expect(rules('.\\31 st, .見出し, .a_b { margin: 0 }')?.map(({ selector }) => selector)).toEqual([
    '.b-1st',
    '.b-_898b_51fa_3057',
    '.b-a_5fb',
  ]);
});

test('images come only from the book, and are told', () => {
  expect(rules('p { background: #fff url("images/a.png") no-repeat }')).toMatchObject([
    { declarations: 'background:#fff url(/assets/a.png)no-repeat', images: ['images/a.png'] },
  ]);
});

describe('nothing leaves the page, loads, runs or adds text', () => {
  test.each([
    ['an address', 'p { background: url(https://tracker.example/x.png) }'],
    ['a data address', 'p { background: url("data:image/svg+xml,<svg/>") }'],
    [
      'an address in another property',
      'p { cursor: url(images/a.png), auto; list-style-image: url(images/a.png) }',
    ],
    ['an address behind a function', 'p { background-image: image-set("images/a.png" 1x) }'],
    ['an import in a rule', '@import "https://tracker.example/x.css";'],
    ['text', 'p::before { content: "Your session has ended" } p { content: "x" }'],
    ['a host', ':host { position: fixed; inset: 0 } :host(.x) p { color: red } ::slotted(p) { color: red }'],
    ['an attribute', 'p[title^="a"] { background: url(images/a.png) }'],
    ['an animation', '@keyframes x { to { left: 0 } } p { animation: x 1s; transition: left 1s }'],
    ['a font', '@font-face { font-family: x; src: url(https://tracker.example/f.woff) }'],
    ['a variable', 'p { --x: url(https://tracker.example/); width: var(--x) }'],
    [
      'a script of old browsers',
      'p { width: expression(alert(1)); behavior: url(x.htc); -moz-binding: url(x) }',
    ],
    ['a hack', 'p { *width: 1px; _height: 2px }'],
    ['another medium', '@media print { p { color: red } } @media (min-width: 1px) { p { color: red } }'],
    ['scrolling and sticking', 'p { overflow: scroll; position: sticky; overflow-x: auto }'],
    ['an end of the rule', 'p { font-family: "}body{display:none" }'],
    ['enormous numbers', 'p { width: 1e30px; border-width: 99999999px }'],
    [
      'filters',
      'p { filter: blur(9px); backdrop-filter: blur(9px); mix-blend-mode: difference; clip-path: url(#x) }',
    ],
    ['nested rules', 'p { & span { position: fixed } }'],
    ['the pointer', 'p:hover { color: red } p { cursor: pointer; pointer-events: none; user-select: none }'],
  ])('%s', (_what, css) => {
    expect(written(css)).toBe('');
  });

  test('what would stay at the window is placed on the page', () => {
    expect(written('p { position: fixed; top: 0 }')).toBe('p{position:absolute;top:0}');
  });

  test('style attributes have the same rules, and none affects another', () => {
    const styles = [
      'left: 3px; background: url(https://x.example); content: "x"; color: red',
      'left: 4px } a { position: fixed',
      'top: calc(1px + 2px); width: (',
      'color: blue; /* no end',
      '@import "x"; top: 1px',
      'right: 5px',
      '',
    ];
    expect(pageStyles(styles, images).map(({ declarations }) => declarations)).toEqual([
      'left:3px;color:red',
      '',
      'top:calc(1px + 2px);width:()',
      'color:blue',
      'top:1px',
      'right:5px',
      '',
    ]);
  });

  test('a declaration that is not allowed does not take the others with it', () => {
    expect(
      written('p { color: red; width: expression(1); left: 1px } }} broken { top: 2px } i { top: 3px }'),
    ).toContain('p{color:red;left:1px}');
  });
});

test('imports are listed, so that the book can be asked for them', () => {
  const sheet = parseSheet('@charset "utf-8"; @import "a.css"; @import url(b.css) screen; p { color: red }');
  expect(sheet && importsOf(sheet)).toEqual(['a.css', 'b.css']);
});

test.each([
  ['of many megabytes', 'p{color:red}'.repeat(200_000)],
  ['that is nested very deeply', `p{width:${'calc('.repeat(200_000)}`],
  ['of brackets', '('.repeat(500_000)],
])('a sheet %s is no sheet, or one without rules', (_what, css) => {
  expect(rules(css) ?? []).toEqual([]);
});
