import { Highlighter } from 'lucide-react';
import { Button } from '../ui/button.tsx';
import { Confidence } from './bars.tsx';
import type { Choice } from './choice.ts';
import { Findings } from './findings.tsx';
import { Measures } from './measures.tsx';
import type { Layer, Span } from './queries.ts';
import { counted, fallbackOf, layerNameOf, providerOf } from './words.ts';

export interface LayerSectionProps {
  layer: Layer;
  isOpen: boolean;
  chosen: Choice | undefined;
  onChoose: (choice: Choice) => void;
}

/** A layer: what it says in a sentence, and behind it what it counted, found, and how it came to it. */
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
            Mark all in the text
          </Button>
        )}
        <p className="layer-source">
          By {providerOf(layer.provider_name)} ({layer.provider_name} {layer.provider_version}), in{' '}
          {counted(layer.runtime_ms, 'millisecond')}.
          {layer.fallback_reason && (
            <span className="layer-fallback">
              {' '}
              A substitute, because {fallbackOf(layer.fallback_reason)}.
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
