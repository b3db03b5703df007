import './markdown.css';
import { createElement, Fragment, type ReactNode, useEffect, useMemo, useState } from 'react';
import type { Person } from '../api/types.ts';
import { withMentions } from './mentions.tsx';
import { createWorkerQueue } from './worker-queue.ts';

/** The elements that Markdown becomes. Others, such as raw HTML, are shown as text. */
const ALLOWED = new Set('p,h1,h2,h3,h4,h5,h6,em,strong,del,code,pre,blockquote,ul,ol,li,hr,br,a'.split(','));

interface MarkdownProps {
  text: string;
  /** The people whose usernames after an @ are shown as their names. */
  mentions?: readonly Person[];
}

const NOBODY: readonly Person[] = [];

/** Some 20,000 characters take the parser half a minute, such as nested images. They stay plain text. */
const MOST_MS = 2000;
const MOST_KEPT = 200;

/** Parses Markdown in a web worker, so that no text can block the page. */
const parseMarkdown = createWorkerQueue<string, string>(
  () => new Worker(new URL('./markdown-worker.ts', import.meta.url), { type: 'module' }),
  MOST_MS,
);

/** The HTML of texts that were parsed; null for those that take too long. */
const parsed = new Map<string, string | null>();

/** Returns the HTML of a text. Undefined while it is parsed, and null when that takes too long. */
function useParsed(text: string): string | null | undefined {
  const [, setCount] = useState(0);
  useEffect(() => {
    if (parsed.has(text)) return;
    let isOver = false;
    void parseMarkdown(text).then((html) => {
      parsed.set(text, html ?? null);
      for (const [oldest] of [...parsed].slice(0, -MOST_KEPT)) parsed.delete(oldest);
      if (!isOver) setCount((count) => count + 1);
    });
    return () => {
      isOver = true;
    };
  }, [text]);
  return parsed.get(text);
}

/**
 * Text with Markdown. Raw HTML stays text, dangerous addresses are removed, and images are links to them. Text that
 * takes too long to parse is shown as it is.
 */
export function Markdown({ text, mentions = NOBODY }: MarkdownProps) {
  const html = useParsed(text);
  const content = useMemo(
    () =>
      html == null
        ? undefined
        : childrenOf(new DOMParser().parseFromString(html, 'text/html').body, mentions),
    [html, mentions],
  );
  return (
    <div className="markdown" dir="auto">
      {content ?? <p className="markdown-plain">{text}</p>}
    </div>
  );
}

function childrenOf(element: Node, mentions: readonly Person[]): ReactNode[] {
  return [...element.childNodes].map((node, index) => {
    // biome-ignore-start lint/suspicious/noArrayIndexKey: the nodes of a text have no other key
    if (node instanceof Text) return <Fragment key={index}>{withMentions(node.data, mentions)}</Fragment>;
    return node instanceof HTMLElement ? <Fragment key={index}>{drawn(node, mentions)}</Fragment> : null;
    // biome-ignore-end lint/suspicious/noArrayIndexKey: the nodes of a text have no other key
  });
}

function drawn(element: HTMLElement, mentions: readonly Person[]): ReactNode {
  const name = element.localName;
  if (name === 'img') return link(element.getAttribute('src'), element.getAttribute('alt') || 'Image');
  if (!ALLOWED.has(name)) return element.textContent;
  if (name === 'a') return link(element.getAttribute('href'), childrenOf(element, NOBODY));
  if (name === 'br' || name === 'hr') return createElement(name);
  // The title of the page is its only first heading.
  const tag = /^h[1-6]$/.test(name) ? 'h4' : name;
  const start = name === 'ol' ? Number(element.getAttribute('start') ?? 1) : undefined;
  const children = childrenOf(element, name === 'code' ? NOBODY : mentions);
  return createElement(tag, start === undefined ? null : { start }, ...children);
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
