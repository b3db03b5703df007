import { useEffect, useRef } from 'react';
import type { OutlineItem } from '../api/types.ts';

interface ContentsProps {
  outline: readonly OutlineItem[];
  /** The index of the fragment that is shown. */
  current: number;
  onGo: (fragment: number) => void;
}

/** The contents of a book or PDF. The current entry is marked and scrolled into view. */
export function Contents({ outline, current, onGo }: ContentsProps) {
  const list = useRef<HTMLElement>(null);
  const here = outline.findLastIndex(({ fragment_idx }) => fragment_idx !== null && fragment_idx <= current);
  useEffect(() => {
    const element = list.current?.querySelectorAll<HTMLElement>('.contents-item')[here];
    if (!element || !list.current) return;
    // Scrolls the list alone: `scrollIntoView` would also scroll the page.
    list.current.scrollTop = element.offsetTop - list.current.clientHeight / 3;
  }, [here]);
  return (
    <nav ref={list} className="contents" aria-label="Contents">
      <h2 className="contents-title">Contents</h2>
      {outline.map(({ title, fragment_idx, depth }, index) => (
        <button
          // biome-ignore lint/suspicious/noArrayIndexKey: an outline never changes and may repeat titles
          key={index}
          type="button"
          className="contents-item"
          data-depth={Math.min(depth, 2)}
          aria-current={index === here}
          disabled={fragment_idx === null}
          onClick={() => fragment_idx !== null && onGo(fragment_idx)}
        >
          {title}
        </button>
      ))}
    </nav>
  );
}
