import type { OutlineItem } from '../api/types.ts';

interface ContentsProps {
  outline: readonly OutlineItem[];
  /** The index of the fragment that is shown. */
  current: number;
  onGo: (fragment: number) => void;
}

export function Contents({ outline, current, onGo }: ContentsProps) {
  return (
    <nav className="contents" aria-label="Contents">
      <h2 className="contents-title">Contents</h2>
      {outline.map(({ title, fragment_idx, depth }, index) => (
        <button
          // biome-ignore lint/suspicious/noArrayIndexKey: an outline never changes and may repeat titles
          key={index}
          type="button"
          className="contents-item"
          data-depth={Math.min(depth, 2)}
          aria-current={fragment_idx === current}
          disabled={fragment_idx === null}
          onClick={() => fragment_idx !== null && onGo(fragment_idx)}
        >
          {title}
        </button>
      ))}
    </nav>
  );
}
