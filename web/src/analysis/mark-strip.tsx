import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { IconButton } from '../ui/button.tsx';
import type { MarkedFinding } from './marked-finding.ts';

export interface MarkStripProps {
  finding: MarkedFinding;
  current: number;
  onGo: (index: number) => void;
  onClear: () => void;
}

/** Shows what is marked in the text, and moves between the marks. */
export function MarkStrip({ finding: { label, spans }, current, onGo, onClear }: MarkStripProps) {
  const count = spans.length;
  return (
    <section className="mark-strip" aria-label="Marks in the text">
      <span className="mark-label truncate" dir="auto">
        {label}
      </span>
      <span className="small muted" role="status">
        {current + 1} of {count}
      </span>
      <IconButton
        label="Previous mark"
        icon={ChevronUp}
        size="small"
        withTooltip={false}
        disabled={count < 2}
        onClick={() => onGo((current + count - 1) % count)}
      />
      <IconButton
        label="Next mark"
        icon={ChevronDown}
        size="small"
        withTooltip={false}
        disabled={count < 2}
        onClick={() => onGo((current + 1) % count)}
      />
      <IconButton label="Clear marks" icon={X} size="small" withTooltip={false} onClick={onClear} />
    </section>
  );
}
