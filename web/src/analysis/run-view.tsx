import { useQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';

import { IconButton } from '../ui/button.tsx';
import { dateTime, timeAgo } from '../ui/dates.ts';
import { plural } from '../ui/numbers.ts';
import { Pending, SkeletonText } from '../ui/states.tsx';
import { Confidence } from './bars.tsx';
import type { MarkedFinding } from './findings.tsx';
import { profileNameOf } from './labels.ts';
import { LayerSection } from './layer-section.tsx';
import { useMarks } from './marks.ts';
import { type RunSummary, runQuery } from './queries.ts';
import { ShadowView } from './shadow-view.tsx';

/** Layers that are expanded at first. */
const OPEN_AT_FIRST = ['semantics'];

/** The results of a run, layer by layer. */
export function RunView({ summary, actions }: { summary: RunSummary; actions: ReactNode }) {
  const query = useQuery(runQuery(summary));
  const run = query.data;
  const [marked, setMarked] = useState<MarkedFinding>();
  const [current, setCurrent] = useState(0);
  useMarks(summary.media_id, marked?.spans, current);
  const mark = (next: MarkedFinding | undefined) => {
    setMarked(next?.key === marked?.key ? undefined : next);
    setCurrent(0);
  };
  return (
    <>
      <div className="run-head">
        <p className="small muted">
          <time dateTime={summary.created_at} title={dateTime(summary.created_at)}>
            {timeAgo(summary.created_at)}
          </time>{' '}
          by {summary.created_by} · {plural(summary.word_count, 'word')}
          {summary.plugin_profile !== 'deterministic' && ` · ${profileNameOf(summary.plugin_profile)}`}
        </p>
        <Confidence value={summary.confidence} />
        {actions}
      </div>
      {summary.language === 'und' && (
        <p className="side-panel-note">
          This text does not seem to be in English. Most layers support only English, so their confidence is
          low.
        </p>
      )}
      <Pending query={query}>
        <SkeletonText lines={18} />
      </Pending>
      {run && (
        <div className="layers">
          {run.layers.map((layer) => (
            <LayerSection
              key={layer.layer}
              layer={layer}
              isOpen={OPEN_AT_FIRST.includes(layer.layer)}
              chosen={marked}
              onChoose={mark}
            />
          ))}
        </div>
      )}
      {run && summary.has_shadow && <ShadowView run={summary} />}
      {marked && (
        <MarkStrip finding={marked} current={current} onGo={setCurrent} onClear={() => mark(undefined)} />
      )}
    </>
  );
}

interface MarkStripProps {
  finding: MarkedFinding;
  current: number;
  onGo: (index: number) => void;
  onClear: () => void;
}

/** Shows what is marked in the text, and moves between the marks. */
function MarkStrip({ finding: { label, spans }, current, onGo, onClear }: MarkStripProps) {
  const count = spans.length;
  const look = { size: 'small', withTooltip: false } as const;
  const step = { ...look, disabled: count < 2 };
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
        {...step}
        onClick={() => onGo((current + count - 1) % count)}
      />
      <IconButton
        label="Next mark"
        icon={ChevronDown}
        {...step}
        onClick={() => onGo((current + 1) % count)}
      />
      <IconButton label="Clear marks" icon={X} {...look} onClick={onClear} />
    </section>
  );
}
