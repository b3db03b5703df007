import { expect, test } from 'vitest';
import { tokensOf } from './code-tokens.ts';

/** The tokens with their text. */
const read = (language: string, code: string) =>
  tokensOf(language, code)?.map(({ kind, start, end }) => [kind, code.slice(start, end)]);

test('tokens have the offsets of the code, and a substitution within a string is none', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the code
  expect(read('js', 'const a = `x ${b} y`; // 1 < 2 & "é"')).toEqual([
    ['keyword', 'const'],
    ['string', '`x '],
    ['string', ' y`'],
    ['comment', '// 1 < 2 & "é"'],
  ]);
});

test('languages are known by their usual names', () => {
  for (const name of [
    'js',
    'ts',
    'tsx',
    'py',
    'rb',
    'rs',
    'c++',
    'c#',
    'golang',
    'html',
    'yml',
    'console',
    'docker',
  ])
    expect(tokensOf(name, 'x'), name).toBeDefined();
});

test('an unknown language is not guessed', () => {
  expect(tokensOf('brainfunk', 'if (a) { return "b"; }')).toBeUndefined();
  expect(tokensOf('__proto__', 'x')).toBeUndefined();
});

test('a shell script is not read as a session, and a session is', () => {
  expect(read('shell', 'echo "a" # b')).toContainEqual(['comment', '# b']);
  expect(read('shell', '$ ls\n')).toContainEqual(['meta', '$ ']);
});

test('tokens are in order and do not overlap, also in broken code', () => {
  const code = `<a href="b>${'<!-- '.repeat(300)}\`\${'"</script><?php `.repeat(5);
  for (const language of ['html', 'js', 'php', 'markdown', 'python']) {
    let offset = 0;
    for (const { start, end } of tokensOf(language, code) ?? []) {
      expect(start).toBeGreaterThanOrEqual(offset);
      expect(end).toBeGreaterThan(start);
      offset = end;
    }
    expect(offset).toBeLessThanOrEqual(code.length);
  }
});
