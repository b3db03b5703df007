import { Highlighter } from 'lucide-react';
import { Button } from '../ui/button.tsx';
import { Confidence } from './bars.tsx';
import { Findings } from './findings.tsx';
import { counted, fallbackOf, layerNameOf, providerOf } from './labels.ts';
import type { MarkedFinding } from './marked-finding.ts';
import { Measures } from './measures.tsx';
import type { Layer, Span } from './queries.ts';

export interface LayerSectionProps {
  layer: Layer;
  isOpen: boolean;
  chosen: MarkedFinding | undefined;
  onChoose: (choice: MarkedFinding) => void;
}

/** A layer: its summary, and in a disclosure its measures, findings and source. */
export function LayerSection({ layer, isOpen, chosen, onChoose }: LayerSectionProps) {
  const { summary, findings } = layer.output;
  const name = layerNameOf(layer.layer);
  const spans = inOrder(findings.flatMap((finding) => finding.spans));
  return (
    <details className="layer" open={isOpen}>
      <summary className="layer-head">
        <h3 className="layer-name">{name}</h3>
        <Confidence value={layer.confidence} />
        <span className="layer-summary">{summary}</span>
      </summary>
      <div className="layer-body">
        <Measures output={layer.output} />
        <Findings layer={layer.layer} findings={findings} chosen={chosen} onChoose={onChoose} />
        {spans.length > 0 && (
          <Button
            size="small"
            icon={Highlighter}
            aria-pressed={chosen?.key === layer.layer}
            onClick={() => onChoose({ key: layer.layer, label: name, spans })}
          >
            Mark all in text
          </Button>
        )}
        <p className="layer-source">
          {providerOf(layer.provider_name)} ({layer.provider_name} {layer.provider_version}),{' '}
          {counted(layer.runtime_ms, 'millisecond')}.
          {layer.fallback_reason && (
            <span className="layer-fallback">
              {' '}
              Fallback used because {fallbackOf(layer.fallback_reason)}.
            </span>
          )}
        </p>
      </div>
    </details>
  );
}

function inOrder(spans: readonly Span[]): Span[] {
  return spans.toSorted((a, b) => a.fragment_idx - b.fragment_idx || a.start - b.start || a.end - b.end);
}
