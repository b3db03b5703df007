import { Highlighter } from 'lucide-react';
import { Button } from '../ui/button.tsx';
import { percent, plural } from '../ui/numbers.ts';
import { Bar, Confidence } from './bars.tsx';
import { Findings, type MarkedFinding } from './findings.tsx';
import { fallbackOf, layerNameOf, measureNameOf, providerOf } from './labels.ts';
import type { Layer, Span } from './queries.ts';

interface LayerSectionProps {
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
          {providerOf(layer.provider_name)} {layer.provider_version},{' '}
          {plural(layer.runtime_ms, 'millisecond')}.
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

const SHARES = new Set(['cohesion', 'formality', 'lexical_variety']);
const EMPTY = new Set<number | string>([0, '', 'none', 'unknown']);

const isShare = (name: string) => name.endsWith('_share') || SHARES.has(name);

/** The measures of a layer: shares as bars, other values as a list. Empty values, and values that repeat findings, are hidden. */
function Measures({ output: { measures, findings } }: Pick<Layer, 'output'>) {
  const kinds = new Set(findings.flatMap(({ kind }) => [kind, `${kind}s`, kind.replace(/y$/, 'ies')]));
  const told = Object.entries(measures).filter(([name, value]) => !EMPTY.has(value) && !kinds.has(name));
  const shares = told.filter(
    (entry): entry is [string, number] => isShare(entry[0]) && typeof entry[1] === 'number',
  );
  const facts = told.filter(([name]) => !isShare(name));
  return (
    <>
      {facts.length > 0 && (
        <dl className="measure-facts">
          {facts.map(([name, value]) => (
            <div key={name} className="measure-fact">
              <dt>{measureNameOf(name)}</dt>
              <dd>{typeof value === 'number' ? value.toLocaleString() : value}</dd>
            </div>
          ))}
        </dl>
      )}
      {shares.length > 0 && (
        <dl className="measure-shares">
          {shares.map(([name, value]) => (
            <div key={name} className="measure-share">
              <dt>{measureNameOf(name)}</dt>
              <dd>
                <Bar share={value} />
                <span className="measure-number">{percent(value)}</span>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}
