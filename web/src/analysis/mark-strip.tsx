import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { IconButton } from '../ui/button.tsx';
import type { Choice } from './choice.ts';

export interface MarkStripProps {
  choice: Choice;
  here: number;
  onGo: (place: number) => void;
  onClear: () => void;
}

/** What is marked in the text, and the way from place to place. */
export function MarkStrip({ choice: { label, spans }, here, onGo, onClear }: MarkStripProps) {
  const count = spans.length;
  return (
    <section className="mark-strip" aria-label="Marked in the text">
      <span className="mark-label truncate" dir="auto">
        {label}
      </span>
      <span className="small muted" role="status">
        {here + 1} of {count}
      </span>
      <IconButton
        label="Previous place"
        icon={ChevronUp}
        size="small"
        withTooltip={false}
        disabled={count < 2}
        onClick={() => onGo((here + count - 1) % count)}
      />
      <IconButton
        label="Next place"
        icon={ChevronDown}
        size="small"
        withTooltip={false}
        disabled={count < 2}
        onClick={() => onGo((here + 1) % count)}
      />
      <IconButton label="Clear the marks" icon={X} size="small" withTooltip={false} onClick={onClear} />
    </section>
  );
}
