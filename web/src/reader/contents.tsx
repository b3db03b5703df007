import { useEffect, useRef } from 'react';
import type { Landmark, OutlineItem } from '../api/types.ts';

interface ContentsProps {
  outline: readonly OutlineItem[];
  /** The index of the fragment that is shown. */
  current: number;
  /** The index of the entry that is read, among those of this fragment. Without it, the last one is current. */
  section?: number;
  landmarks?: readonly Landmark[] | undefined;
  onGo: (fragment: number, element?: string) => void;
}

/** Landmarks that have the same name in every book. */
const LANDMARKS: Record<string, string> = {
  cover: 'Cover',
  titlepage: 'Title page',
  toc: 'Table of contents',
  bodymatter: 'Start reading',
};

function landmarkName({ type, title }: Landmark): string {
  const word = type.replace(/^other\./, '').replaceAll('-', ' ');
  return LANDMARKS[type] ?? (title || word.charAt(0).toUpperCase() + word.slice(1));
}

/** Returns the entry that is read: of several entries for the fragment, the one that was passed last. */
function currentEntry(outline: readonly OutlineItem[], current: number, section: number | undefined): number {
  const first = outline.findIndex(({ fragment_idx }) => fragment_idx === current);
  if (first >= 0 && section !== undefined) {
    const entries = outline.flatMap(({ fragment_idx }, index) => (fragment_idx === current ? [index] : []));
    return entries[Math.max(0, section)] ?? first;
  }
  return outline.findLastIndex(({ fragment_idx }) => fragment_idx !== null && fragment_idx <= current);
}

/** The contents of a book or PDF. The current entry is marked and scrolled into view. */
export function Contents({ outline, current, section, landmarks = [], onGo }: ContentsProps) {
  const list = useRef<HTMLElement>(null);
  const here = currentEntry(outline, current, section);
  useEffect(() => {
    const element = list.current?.querySelectorAll<HTMLElement>('.contents-item')[here];
    if (!element || !list.current) return;
    // Scrolls the list alone: `scrollIntoView` would also scroll the page.
    list.current.scrollTop = element.offsetTop - list.current.clientHeight / 3;
  }, [here]);
  return (
    <nav ref={list} className="contents" aria-label="Contents">
      {landmarks.length > 0 && (
        <fieldset className="contents-landmarks" aria-label="Landmarks">
          {landmarks.map((landmark) => (
            <button
              key={landmark.type}
              type="button"
              className="contents-landmark"
              onClick={() => onGo(landmark.fragment_idx, landmark.element)}
            >
              {landmarkName(landmark)}
            </button>
          ))}
        </fieldset>
      )}
      <h2 className="contents-title">Contents</h2>
      {outline.map(({ title, fragment_idx, element, depth }, index) => (
        <button
          // biome-ignore lint/suspicious/noArrayIndexKey: an outline never changes and may repeat titles
          key={index}
          type="button"
          className="contents-item"
          dir="auto"
          data-depth={Math.min(depth, 2)}
          aria-current={index === here}
          disabled={fragment_idx === null}
          onClick={() => fragment_idx !== null && onGo(fragment_idx, element)}
        >
          {title}
        </button>
      ))}
    </nav>
  );
}
