import clojure from 'highlight.js/lib/languages/clojure';
import dart from 'highlight.js/lib/languages/dart';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import elixir from 'highlight.js/lib/languages/elixir';
import erlang from 'highlight.js/lib/languages/erlang';
import haskell from 'highlight.js/lib/languages/haskell';
import julia from 'highlight.js/lib/languages/julia';
import latex from 'highlight.js/lib/languages/latex';
import lisp from 'highlight.js/lib/languages/lisp';
import nginx from 'highlight.js/lib/languages/nginx';
import nix from 'highlight.js/lib/languages/nix';
import ocaml from 'highlight.js/lib/languages/ocaml';
import powershell from 'highlight.js/lib/languages/powershell';
import protobuf from 'highlight.js/lib/languages/protobuf';
import scala from 'highlight.js/lib/languages/scala';
import { common, createLowlight } from 'lowlight';
import type { TokenKind } from './code-token-kinds.ts';

/** A part of code that has a colour. */
export interface Token {
  kind: TokenKind;
  start: number;
  end: number;
}

const lowlight = createLowlight({
  ...common,
  ...{ clojure, dart, dockerfile, elixir, erlang, haskell, julia, latex, lisp, nginx, nix, ocaml },
  ...{ powershell, protobuf, scala },
});

/** The kinds of the scopes of highlight.js. */
const KINDS: Record<string, TokenKind> = {
  ...kinds('comment', 'comment quote doctag'),
  ...kinds('keyword', 'keyword selector-tag selector-pseudo template-tag operator'),
  ...kinds('string', 'string regexp char link code formula'),
  ...kinds('number', 'number literal symbol bullet'),
  ...kinds('title', 'title section name selector-id selector-class'),
  ...kinds('type', 'type built_in class'),
  ...kinds('attribute', 'attr attribute property variable template-variable selector-attr'),
  ...kinds('meta', 'meta'),
  ...kinds('addition', 'addition'),
  ...kinds('deletion', 'deletion'),
};

function kinds(kind: TokenKind, scopes: string): Record<string, TokenKind> {
  return Object.fromEntries(scopes.split(' ').map((scope) => [scope, kind]));
}

type Tree = ReturnType<typeof lowlight.highlight>;
type TreeNode = Tree['children'][number];

/** Returns the tokens of code, in order and not overlapping. Undefined for a language that is not known: it is not guessed. */
export function tokensOf(language: string, code: string): Token[] | undefined {
  const name = grammarOf(language, code);
  if (!lowlight.registered(name)) return undefined;
  const tokens: Token[] = [];
  let offset = 0;
  const visit = (node: TreeNode, kind: TokenKind | undefined) => {
    if (node.type === 'text') {
      const end = offset + node.value.length;
      if (kind) tokens.push({ kind, start: offset, end });
      offset = end;
    } else if (node.type === 'element') {
      const scope = scopeOf(node);
      // `${name}` within a string looks like other code.
      const inner = scope === 'subst' ? undefined : (KINDS[scope] ?? kind);
      for (const child of node.children) visit(child, inner);
    }
  };
  for (const node of lowlight.highlight(name, code).children) visit(node, undefined);
  return tokens;
}

/** A `shell` session has prompts; most of what is called shell is a script. */
function grammarOf(language: string, code: string): string {
  return language === 'shell' && !/^\s*[$%#>] /m.test(code) ? 'bash' : language;
}

/** The scope of an element without its prefix: `title` for the classes `hljs-title function_`. */
function scopeOf({ properties: { className } }: { properties: { className?: unknown } }): string {
  const [first] = Array.isArray(className) ? className : [];
  return typeof first === 'string' ? first.replace(/^hljs-/, '') : '';
}
