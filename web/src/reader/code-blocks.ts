import './code.css';
import { showToast } from '../ui/toasts.tsx';
import { parseCode } from './code-parser.ts';
import { TOKEN_KINDS, type TokenKind } from './code-token-kinds.ts';
import type { Token } from './code-tokens.ts';

/** Longer code stays plain: its colours would take too much memory. */
const MOST_CHARACTERS = 50_000;
/** Code this far outside of the window gets its colours before it is seen. */
const MARGIN = '800px 0px';
const COPIED_MS = 2000;

/** The colours of code: one highlight for each kind of token. Undefined in browsers without the CSS Custom Highlight API. */
const highlights = 'highlights' in CSS && typeof Highlight === 'function' ? createHighlights() : undefined;

function createHighlights(): Map<TokenKind, Highlight> {
  const entries = TOKEN_KINDS.map((kind) => {
    const highlight = new Highlight();
    // Found words and findings are above the colours of code.
    highlight.priority = -1;
    CSS.highlights.set(`code-${kind}`, highlight);
    return [kind, highlight] as const;
  });
  return new Map(entries);
}

/**
 * Adds a copy button and colours to the code blocks of a text, and returns a function that removes the colours. The text nodes
 * stay as they are: search results and findings are ranges of them. Only blocks near the window have colours, so that a
 * page with hundreds of blocks stays fast.
 */
export function prepareCode(part: Element): () => void {
  const blocks = [...part.querySelectorAll('pre')];
  for (const block of blocks) addCopyButton(block);
  if (!highlights || blocks.length === 0) return () => undefined;

  const colours = new Map<Element, ReturnType<typeof createColours>>();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) colours.get(target)?.show();
        else colours.get(target)?.hide();
      }
    },
    { rootMargin: MARGIN },
  );
  for (const block of blocks) {
    const language = languageOf(block);
    if (language === undefined || (block.textContent ?? '').length > MOST_CHARACTERS) continue;
    colours.set(block, createColours(block, language, highlights));
    observer.observe(block);
  }
  return () => {
    observer.disconnect();
    for (const { hide } of colours.values()) hide();
  };
}

/** The language that the server has kept in a class, of the block or of the code in it. */
function languageOf(block: Element): string | undefined {
  const named = block.matches('[class*="language-"]') ? block : block.querySelector('[class*="language-"]');
  return /(?:^|\s)language-(\S+)/.exec(named?.className ?? '')?.[1];
}

/** The colours of one block. They are computed when they are shown for the first time. */
function createColours(block: Element, language: string, shownIn: Map<TokenKind, Highlight>) {
  let isShown = false;
  let ranges: ColouredRange[] | undefined;
  let isParsed = false;
  const parse = async () => {
    isParsed = true;
    const { code, nodes } = codeOf(block);
    const tokens = await parseCode({ language, code });
    ranges = rangesOf(tokens ?? [], nodes);
    if (isShown) paint();
  };
  const paint = () => {
    for (const { kind, range } of ranges ?? []) shownIn.get(kind)?.add(range);
  };
  return {
    show() {
      if (isShown) return;
      isShown = true;
      if (isParsed) paint();
      else void parse();
    },
    hide() {
      if (!isShown) return;
      isShown = false;
      for (const { kind, range } of ranges ?? []) shownIn.get(kind)?.delete(range);
    },
  };
}

interface CodeNode {
  node: Text;
  start: number;
  end: number;
}

/** The text of a block, with a line feed for each `<br>`, and its text nodes. */
function codeOf(block: Element): { code: string; nodes: CodeNode[] } {
  const nodes: CodeNode[] = [];
  let code = '';
  const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node instanceof Text) {
      nodes.push({ node, start: code.length, end: code.length + node.data.length });
      code += node.data;
    } else if (node.nodeName === 'BR') code += '\n';
  }
  return { code, nodes };
}

interface ColouredRange {
  kind: TokenKind;
  range: StaticRange;
}

/** The ranges of tokens: one for each text node that a token is in. */
function rangesOf(tokens: readonly Token[], nodes: readonly CodeNode[]): ColouredRange[] {
  const ranges: ColouredRange[] = [];
  let first = 0;
  for (const { kind, start, end } of tokens) {
    while ((nodes[first]?.end ?? end) <= start) first += 1;
    for (let index = first; index < nodes.length; index++) {
      const one = nodes[index];
      if (!one || one.start >= end) break;
      const range = new StaticRange({
        startContainer: one.node,
        startOffset: Math.max(0, start - one.start),
        endContainer: one.node,
        endOffset: Math.min(one.end, end) - one.start,
      });
      ranges.push({ kind, range });
    }
  }
  return ranges;
}

/**
 * Puts the block into a box with a button. The button has no text, so it is neither in the text of the document nor in a
 * selection; the style sheet shows its label.
 */
function addCopyButton(block: Element): void {
  if (block.parentElement?.matches('.code-box') || !(block.textContent ?? '').trim()) return;
  const box = document.createElement('div');
  box.className = 'code-box';
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'code-copy';
  button.ariaLabel = 'Copy code';
  button.addEventListener('click', () => void copy(block, button));
  block.replaceWith(box);
  box.append(block, button);
}

async function copy(block: Element, button: HTMLButtonElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(codeOf(block).code);
  } catch {
    showToast('The browser does not allow copying here. Select the text and copy it.');
    return;
  }
  button.ariaLabel = 'Copied';
  setTimeout(() => {
    button.ariaLabel = 'Copy code';
  }, COPIED_MS);
}
