import './markdown.css';
import { createElement, Fragment, lazy, memo, type ReactNode, Suspense } from 'react';

/** The elements that Markdown becomes. Others, such as raw HTML, are shown as text. */
const ALLOWED = new Set('p,h1,h2,h3,h4,h5,h6,em,strong,del,code,pre,blockquote,ul,ol,li,hr,br,a'.split(','));

const Parsed = lazy(async () => {
  const { micromark } = await import('micromark');
  return {
    default: memo(({ text }: { text: string }) => {
      const { body } = new DOMParser().parseFromString(micromark(text), 'text/html');
      return <>{childrenOf(body)}</>;
    }),
  };
});

/** Quotes and lists in each other this deep are not parsed, since that takes seconds. */
const TOO_DEEP = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])){20}/m;

/**
 * Text with Markdown. Raw HTML stays text, dangerous addresses are removed, and images are links to them. Text that
 * would take too long to parse is shown as it is.
 */
export function Markdown({ text }: { text: string }) {
  const plain = <p className="markdown-plain">{text}</p>;
  return (
    <div className="markdown" dir="auto">
      {TOO_DEEP.test(text) ? (
        plain
      ) : (
        <Suspense fallback={plain}>
          <Parsed text={text} />
        </Suspense>
      )}
    </div>
  );
}

function childrenOf(element: Node): ReactNode[] {
  return [...element.childNodes].map((node, index) => {
    if (node instanceof Text) return node.data;
    // biome-ignore lint/suspicious/noArrayIndexKey: the nodes of a text have no other key
    return node instanceof HTMLElement ? <Fragment key={index}>{drawn(node)}</Fragment> : null;
  });
}

function drawn(element: HTMLElement): ReactNode {
  const name = element.localName;
  if (name === 'img') return link(element.getAttribute('src'), element.getAttribute('alt') || 'Image');
  if (!ALLOWED.has(name)) return element.textContent;
  if (name === 'a') return link(element.getAttribute('href'), childrenOf(element));
  if (name === 'br' || name === 'hr') return createElement(name);
  // The title of the page is its only first heading.
  const tag = /^h[1-6]$/.test(name) ? 'h4' : name;
  const start = name === 'ol' ? Number(element.getAttribute('start') ?? 1) : undefined;
  return createElement(tag, start === undefined ? null : { start }, ...childrenOf(element));
}

/** A link that opens in a new tab. Without an address, only its text. */
function link(href: string | null, content: ReactNode): ReactNode {
  if (!href || !/^(https?:|mailto:)/i.test(href)) return content;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {content}
    </a>
  );
}
