import './states.css';

export interface SkeletonProps {
  /** Any CSS length. */
  width?: string;
  height?: string;
}

/** A placeholder in the size of the content that is loading. */
export function Skeleton({ width = '100%', height = '1rem' }: SkeletonProps) {
  return <span className="skeleton" style={{ width, height }} aria-hidden />;
}

const WIDTHS = ['94%', '100%', '97%', '62%'];

export function SkeletonText({ lines = 4 }: { lines?: number }) {
  return (
    <span aria-hidden>
      {Array.from({ length: lines }, (_, line) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other key
          key={line}
          className="skeleton skeleton-line"
          style={{ width: WIDTHS[line % WIDTHS.length] }}
        />
      ))}
    </span>
  );
}
