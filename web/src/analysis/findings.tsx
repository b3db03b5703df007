import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Bar } from './bars.tsx';
import { kindNameOf } from './labels.ts';
import type { Finding, Span } from './queries.ts';

const SHOWN_AT_FIRST = 8;
/** Kinds whose findings are shown with their counts. */
const COUNTED = new Set(['frequent_word', 'key_phrase', 'name', 'symbol', 'derivation']);

export interface FindingsProps {
  layer: string;
  findings: readonly Finding[];
  chosen: MarkedFinding | undefined;
  onChoose: (choice: MarkedFinding) => void;
}

/** The findings of a layer, grouped by kind. Each can be marked in the text. */
export function Findings({ layer, findings, chosen, onChoose }: FindingsProps) {
  const kinds = [...new Set(findings.map(({ kind }) => kind))];
  return kinds.map((kind) => (
    <Kind
      key={kind}
      layer={layer}
      kind={kind}
      findings={findings.filter((finding) => finding.kind === kind)}
      chosen={chosen}
      onChoose={onChoose}
    />
  ));
}

function Kind({ layer, kind, findings, chosen, onChoose }: FindingsProps & { kind: string }) {
  const [isWhole, setWhole] = useState(false);
  const most = Math.max(...findings.map(({ count }) => count));
  const withBars = COUNTED.has(kind) && most > 1;
  const shown = isWhole ? findings : findings.slice(0, SHOWN_AT_FIRST);
  return (
    <section className="finding-kind">
      <h4 className="finding-kind-title">{kindNameOf(kind)}</h4>
      <ul className={withBars ? 'finding-rows' : 'finding-chips'}>
        {shown.map((finding, index) => {
          // Labels are not unique: redacted ones look the same.
          const key = `${layer}/${kind}/${index}`;
          return (
            <li key={key}>
              <button
                type="button"
                className={withBars ? 'finding-row' : 'finding-chip'}
                aria-pressed={chosen?.key === key}
                disabled={finding.spans.length === 0}
                onClick={() => onChoose({ key, label: finding.label, spans: finding.spans })}
              >
                <span className="finding-label" dir="auto">
                  {repeatsKind(finding) ? 'Show in text' : finding.label}
                  {finding.note && <span className="finding-note"> {finding.note}</span>}
                </span>
                {withBars && <Bar share={finding.count / most} />}
                <Count count={finding.count} isShown={withBars || finding.count > 1} />
              </button>
            </li>
          );
        })}
      </ul>
      {findings.length > SHOWN_AT_FIRST && (
        <Button look="ghost" size="small" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show fewer' : `Show all ${findings.length}`}
        </Button>
      )}
    </section>
  );
}

/** Whether the label only repeats the kind. */
function repeatsKind({ kind, label }: Finding): boolean {
  return label === kind.replaceAll('_', ' ');
}

function Count({ count, isShown }: { count: number; isShown: boolean }) {
  if (!isShown) return null;
  return (
    <span className="finding-count">
      {count.toLocaleString()}
      <span className="visually-hidden"> times</span>
    </span>
  );
}

/** A finding, or a group of findings, that is marked in the text. */
export interface MarkedFinding {
  key: string;
  label: string;
  spans: readonly Span[];
}
