import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { fullDate, timeAgo } from '../library/format.ts';
import { ErrorState } from '../ui/error-state.tsx';
import { SkeletonText } from '../ui/skeleton.tsx';
import { Confidence } from './bars.tsx';
import { counted, profileNameOf } from './labels.ts';
import { LayerSection } from './layer-section.tsx';
import { MarkStrip } from './mark-strip.tsx';
import type { MarkedFinding } from './marked-finding.ts';
import { type RunSummary, runQuery } from './queries.ts';
import { ShadowView } from './shadow-view.tsx';
import { useMarks } from './use-marks.ts';

/** Layers that are expanded at first. */
const OPEN_AT_FIRST = ['semantics'];

/** The results of a run, layer by layer. */
export function RunView({ summary, actions }: { summary: RunSummary; actions: ReactNode }) {
  const { data: run, error, refetch } = useQuery(runQuery(summary));
  const [marked, setMarked] = useState<MarkedFinding>();
  const [current, setCurrent] = useState(0);
  useMarks(summary.document_id, marked?.spans, current);
  const mark = (next: MarkedFinding | undefined) => {
    setMarked(next?.key === marked?.key ? undefined : next);
    setCurrent(0);
  };
  return (
    <>
      <div className="run-head">
        <p className="small muted">
          <time dateTime={summary.created_at} title={fullDate(summary.created_at)}>
            {timeAgo(summary.created_at)}
          </time>{' '}
          by {summary.created_by} · {counted(summary.word_count, 'word')}
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
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!run && !error && <SkeletonText lines={18} />}
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
