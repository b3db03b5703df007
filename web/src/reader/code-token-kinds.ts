/** The kinds of parts of code that have colours, `--code-KIND` in tokens.css. */
export const TOKEN_KINDS = [
  'comment',
  'keyword',
  'string',
  'number',
  'title',
  'type',
  'attribute',
  'meta',
  'addition',
  'deletion',
] as const;

export type TokenKind = (typeof TOKEN_KINDS)[number];
