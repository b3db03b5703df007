import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { momentOf, whenOf } from '../library/words.ts';
import { ErrorState } from '../ui/error-state.tsx';
import { SkeletonText } from '../ui/skeleton.tsx';
import { Confidence } from './bars.tsx';
import type { Choice } from './choice.ts';
import { LayerSection } from './layer-section.tsx';
import { MarkStrip } from './mark-strip.tsx';
import { type RunSummary, runQuery } from './queries.ts';
import { ShadowView } from './shadow-view.tsx';
import { useMarks } from './use-marks.ts';
import { counted, profileNameOf } from './words.ts';

/** What most readers look for first. */
const OPEN_AT_FIRST = ['semantics'];

/** A run, layer by layer, and what can be done about it. */
export function RunView({ summary, actions }: { summary: RunSummary; actions: ReactNode }) {
  const { data: run, error, refetch } = useQuery(runQuery(summary));
  const [choice, setChoice] = useState<Choice>();
  const [here, setHere] = useState(0);
  useMarks(summary.document_id, choice?.spans, here);
  const choose = (next: Choice | undefined) => {
    setChoice(next?.key === choice?.key ? undefined : next);
    setHere(0);
  };
  return (
    <>
      <div className="run-head">
        <p className="small muted">
          <time dateTime={summary.created_at} title={momentOf(summary.created_at)}>
            {whenOf(summary.created_at)}
          </time>{' '}
          by {summary.created_by} · {counted(summary.word_count, 'word')}
          {summary.plugin_profile !== 'deterministic' && ` · ${profileNameOf(summary.plugin_profile)}`}
        </p>
        <Confidence value={summary.confidence} />
        {actions}
      </div>
      {summary.language === 'und' && (
        <p className="beside-note">
          This does not seem to be English, the only language that most layers know. Their confidence is low
          for that reason.
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
              chosen={choice}
              onChoose={choose}
            />
          ))}
        </div>
      )}
      {run && summary.has_shadow && <ShadowView run={summary} />}
      {choice && <MarkStrip choice={choice} here={here} onGo={setHere} onClear={() => choose(undefined)} />}
    </>
  );
}
