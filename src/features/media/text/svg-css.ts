/** Whether a declaration loads nothing and hides nothing behind escapes. */
function isHarmless(declaration: string): boolean {
  return !/url\(\s*(?!["']?#)|image\(|image-set|cross-fade|[\\<@]|expression|javascript:|data:|behavior|-moz-binding/i.test(
    declaration,
  );
}

/** Returns the harmless declarations of a style attribute or of a rule. */
export function cleanDeclarations(css: string): string {
  return css
    .split(';')
    .map((declaration) => declaration.trim())
    .filter((declaration) => declaration !== '' && isHarmless(declaration))
    .join(';');
}

/** Returns the rules of a style sheet without at-rules, which load, animate or depend on the screen. */
export function cleanStyles(css: string): string {
  const text = css.replace(/\/\*[\s\S]*?\*\/|<!--|-->/g, '');
  const rules: string[] = [];
  let from = 0;
  while (from < text.length) {
    const brace = text.indexOf('{', from);
    const semicolon = text.indexOf(';', from);
    const isStatement = semicolon >= 0 && (brace < 0 || semicolon < brace);
    if (isStatement) {
      from = semicolon + 1;
      continue;
    }
    if (brace < 0) break;
    const end = blockEnd(text, brace);
    const selector = text.slice(from, brace).trim();
    const block = text.slice(brace + 1, end);
    if (!/[@\\<]/.test(selector) && !block.includes('{'))
      rules.push(`${selector}{${cleanDeclarations(block)}}`);
    from = end + 1;
  }
  return rules.join('');
}

/** Returns the position of the brace that closes a block, or the end of the text. */
function blockEnd(text: string, open: number): number {
  let depth = 0;
  for (let index = open; index < text.length; index++) {
    if (text[index] === '{') depth += 1;
    if (text[index] === '}') depth -= 1;
    if (depth === 0) return index;
  }
  return text.length;
}
