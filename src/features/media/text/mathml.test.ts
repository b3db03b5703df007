import { describe, expect, test } from 'vitest';
import { type Element, parseMarkup } from './markup.ts';
import { formulaHtml, formulaText } from './mathml.ts';

const parsed = (content: string, attributes = '') =>
  parseMarkup(`<math ${attributes}>${content}</math>`)[0] as Element;
const html = (content: string, attributes = '') =>
  formulaHtml(parsed(content, attributes)).replace(/ alttext="[^"]*"/, '');
const text = (content: string) => formulaText(parsed(content));

const x = '<mi>x</mi>';
const sum = `<mrow>${x}<mo>+</mo><mn>1</mn></mrow>`;

describe('the linear form', () => {
  test.each([
    ['an expression', `${x}<mo>=</mo><mn>2</mn>${x}<mo>+</mo><mn>1</mn>`, 'x = 2x + 1'],
    ['a sign', `<mo>−</mo>${x}<mo>=</mo><mo>−</mo><mn>1</mn>`, '−x = −1'],
    ['a power', `<msup>${x}<mn>2</mn></msup>`, 'x^2'],
    ['a power of a sum', `<msup>${sum}<mn>2</mn></msup>`, '(x+1)^2'],
    ['a power of a bracket', `<mo>(</mo>${x}<msup><mo>)</mo><mn>2</mn></msup>`, '(x)^2'],
    ['an exponent that is a sum', `<msup>${x}${sum}</msup>`, 'x^(x+1)'],
    ['an index', `<msub><mi>a</mi><mi>i</mi></msub>`, 'a_i'],
    ['two indices', `<msub><mi>a</mi><mrow><mi>i</mi><mo>,</mo><mi>j</mi></mrow></msub>`, 'a_(i,j)'],
    ['an index and a power', `<msubsup>${x}<mn>1</mn><mn>2</mn></msubsup>`, 'x_1^2'],
    ['neighbours with an index', `<msub>${x}<mn>1</mn></msub><msub>${x}<mn>2</mn></msub>`, 'x_1 x_2'],
    ['a derivative', `<msup><mi>f</mi><mo>′</mo></msup><mo>(</mo>${x}<mo>)</mo>`, 'f′(x)'],
    ['a fraction', '<mfrac><mi>a</mi><mi>b</mi></mfrac>', 'a/b'],
    ['a fraction of sums', `<mfrac>${sum}<mrow><mn>2</mn>${x}</mrow></mfrac>`, '(x+1)/(2x)'],
    ['a fraction of powers', `<mfrac><msup>${x}<mn>2</mn></msup><mn>2</mn></mfrac>`, 'x^2/2'],
    ['a fraction beside a number', '<mn>2</mn><mfrac><mn>1</mn><mn>2</mn></mfrac>', '2(1/2)'],
    ['a fraction in a sum', `<mfrac><mn>1</mn><mn>2</mn></mfrac><mo>+</mo>${x}`, '1/2 + x'],
    ['a fraction of a fraction', `<mfrac><mfrac><mi>a</mi><mi>b</mi></mfrac><mi>c</mi></mfrac>`, '(a/b)/c'],
    [
      'a binomial',
      '<mo>(</mo><mfrac linethickness="0"><mi>n</mi><mi>k</mi></mfrac><mo>)</mo>',
      '(n choose k)',
    ],
    ['a root', `<msqrt>${x}</msqrt>`, '√x'],
    ['a root of a sum', `<msqrt>${sum}</msqrt>`, '√(x+1)'],
    ['a root with a strut', `<msqrt>${x}<mspace width="0pt" height="0.5em"></mspace></msqrt>`, '√x'],
    ['a third root', `<mroot>${x}<mn>3</mn></mroot>`, '∛x'],
    ['another root', `<mroot>${sum}<mi>n</mi></mroot>`, '^n√(x+1)'],
    [
      'a sum with limits',
      `<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><msup><mi>i</mi><mn>2</mn></msup>`,
      '∑_(i=1)^n i^2',
    ],
    [
      'an integral',
      `<msubsup><mo>∫</mo><mn>0</mn><mi>∞</mi></msubsup><msup><mi>e</mi><mrow><mo>−</mo>${x}</mrow></msup><mi>d</mi>${x}`,
      '∫_0^∞ e^(−x) dx',
    ],
    [
      'a limit',
      `<munder><mo>lim</mo><mrow>${x}<mo>→</mo><mn>0</mn></mrow></munder><mi>f</mi>`,
      'lim_(x→0) f',
    ],
    ['a function', `<mi>sin</mi><mo>\u2061</mo>${x}`, 'sin x'],
    ['functions side by side', `<mn>2</mn><mi>sin</mi>${x}<mi>cos</mi><mi>y</mi>`, '2 sin x cos y'],
    ['an invisible product', `<mn>2</mn><mo>\u2062</mo>${x}`, '2x'],
    ['a list', '<mi>a</mi><mo>,</mo><mi>b</mi><mo>,</mo><mo>…</mo>', 'a, b, …'],
    ['an absolute value', `<mo>|</mo>${x}<mo>|</mo><mo>≤</mo><mn>1</mn>`, '|x| ≤ 1'],
    [
      'a matrix',
      '<mo>(</mo><mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr><mtr><mtd><mi>c</mi></mtd><mtd><mi>d</mi></mtd></mtr></mtable><mo>)</mo>',
      '[a, b; c, d]',
    ],
    [
      'a matrix without brackets',
      '<mi>A</mi><mo>=</mo><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>0</mn></mtd></mtr></mtable>',
      'A = [1, 0]',
    ],
    [
      'aligned equations',
      `<mtable><mtr><mtd>${x}</mtd><mtd><mo>=</mo><mn>1</mn></mtd></mtr><mtr><mtd><mi>y</mi></mtd><mtd><mo>=</mo><mn>2</mn></mtd></mtr></mtable>`,
      'x = 1; y = 2',
    ],
    ['an accent', '<mover><mi>x</mi><mo>¯</mo></mover>', 'x\u0304'],
    ['a line above', '<mover><mrow><mi>A</mi><mi>B</mi></mrow><mo>¯</mo></mover>', 'overline(AB)'],
    ['an arrow', '<mover accent="true"><mi>v</mi><mo>→</mo></mover>', 'v\u20d7'],
    ['words', `<mtext>if </mtext>${x}<mo>&gt;</mo><mn>0</mn>`, 'if x > 0'],
    [
      'letters of another alphabet',
      '<mi mathvariant="double-struck">R</mi><mo>,</mo><mi mathvariant="bold">v</mi>',
      'ℝ, v',
    ],
    ['an isotope', '<mmultiscripts><mi>C</mi><mprescripts/><mn>6</mn><mn>14</mn></mmultiscripts>', '_6^14 C'],
    ['a phantom', `${x}<mphantom><mi>y</mi></mphantom>`, 'x'],
    ['a number in groups', '<mn>1</mn><mn>2</mn>', '1 2'],
  ])('of %s', (_, content, expected) => {
    expect(text(content)).toBe(expected);
  });

  test('of deeply nested scripts takes little time', () => {
    const nested = `${'<munder><mi>a</mi>'.repeat(45)}<mi>b</mi>${'</munder>'.repeat(45)}`;
    expect(text(nested)).toMatch(/^a_\(a_\(/);
  });
});

describe('the sanitised formula', () => {
  test.each([
    ['keeps its elements', `<msup>${x}<mn>2</mn></msup>`, '<math><msup><mi>x</mi><mn>2</mn></msup></math>'],
    [
      'has no links, styles or handlers',
      '<mrow href="javascript:x()" style="color:red" onclick="x()" id="a" class="b"><mi mathcolor="red">x</mi></mrow>',
      '<math><mrow><mi>x</mi></mrow></math>',
    ],
    [
      'has only the first part of semantics',
      `<semantics>${x}<annotation encoding="application/x-tex">x</annotation></semantics>`,
      '<math><mi>x</mi></math>',
    ],
    [
      'has no annotation with HTML',
      `${x}<annotation-xml encoding="text/html"><img src=x onerror=alert(1)></annotation-xml>`,
      '<math><mi>x</mi></math>',
    ],
    [
      'has only text in tokens',
      '<mtext>a<b onclick="x()">b</b><script>c</script></mtext>',
      '<math><mtext>ab</mtext></math>',
    ],
    [
      'shows the first state of an action',
      `<maction actiontype="toggle">${x}<mi>y</mi></maction>`,
      '<math><mi>x</mi></math>',
    ],
    [
      'has its fences as operators',
      '<mfenced open="[" separators=";"><mi>a</mi><mi>b</mi></mfenced>',
      '<math><mrow><mo form="prefix" fence="true">[</mo><mi>a</mi><mo form="infix" separator="true">;</mo><mi>b</mi><mo form="postfix" fence="true">)</mo></mrow></math>',
    ],
    ['is a row where children are missing', `<mfrac>${x}</mfrac>`, '<math><mrow><mi>x</mi></mrow></math>'],
    [
      'keeps the content of unknown elements',
      `<menclose>${x}</menclose>`,
      '<math><mrow><mi>x</mi></mrow></math>',
    ],
    [
      'has styled letters',
      '<mi mathvariant="fraktur">g</mi><mi mathvariant="normal">d</mi>',
      '<math><mi>𝔤</mi><mi mathvariant="normal">d</mi></math>',
    ],
    [
      'has short lengths only',
      '<mspace width="1em"></mspace><mspace width="9999em"></mspace><mi>x</mi>',
      '<math><mspace width="1em"></mspace><mspace></mspace><mi>x</mi></math>',
    ],
    [
      'has rows and cells only in tables',
      `<mtr><mtd>${x}</mtd></mtr>`,
      '<math><mrow><mrow><mi>x</mi></mrow></mrow></math>',
    ],
    ['is empty without content', '<mspace></mspace><mrow></mrow>', ''],
  ])('%s', (_, content, expected) => {
    expect(html(content)).toBe(expected);
  });

  test('says how it is read', () => {
    expect(formulaHtml(parsed(x, 'display="block" alttext="something else"'))).toBe(
      '<math display="block" alttext="x"><mi>x</mi></math>',
    );
  });

  test('can be focused where it may scroll', () => {
    expect(html(`${x}<mo>+</mo>`.repeat(5))).not.toContain('tabindex');
    expect(html(`${x}<mo>+</mo>`.repeat(9))).toMatch(/^<math tabindex="0">/);
  });

  test('that is too deep is shown as its text', () => {
    expect(html(`${'<mrow>'.repeat(5000)}<mi>x</mi>`)).toBe('<code>x</code>');
  });
});
