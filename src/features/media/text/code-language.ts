/** How highlighters name the language of code in a class: `language-js`, `lang-js`, `highlight-source-js`, `brush: js`. */
const LANGUAGE =
  /(?:^|\s)(?:language-|lang-|highlight-source-|highlight-|brush:\s*|sourceCode\s+)([A-Za-z0-9][A-Za-z0-9+#._-]{0,29})(?=[\s;]|$)/;

/** Names that say that there is no language, or that the class means something else. */
const NO_LANGUAGE = /^(default|none|text|plain|plaintext|no-?highlight|source|wrapper|wrap|container|block)$/;

const NAME = /^[A-Za-z0-9][A-Za-z0-9+#._-]{0,29}$/;

/** Returns the language of code from the class of its element, or from an attribute that names it. */
export function codeLanguage(className: string | null = '', name: string | null = ''): string | undefined {
  const named = name !== null && NAME.test(name) ? name : undefined;
  const language = (LANGUAGE.exec(className ?? '')?.[1] ?? named)?.toLowerCase();
  return language === undefined || NO_LANGUAGE.test(language) ? undefined : language;
}
