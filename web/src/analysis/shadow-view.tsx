import './shadow.css';
import { useQuery } from '@tanstack/react-query';
import { percent, plural } from '../ui/numbers.ts';
import { ErrorState } from '../ui/states.tsx';
import { Confidence } from './bars.tsx';
import { fallbackOf, kindNameOf, layerNameOf, measureNameOf, providerOf } from './labels.ts';
import { type LayerComparison, type RunSummary, type Shadow, shadowQuery } from './queries.ts';

/** The comparison of a run with a second analysis of the same text. */
export function ShadowView({ run }: { run: RunSummary }) {
  const { data: shadow, error, refetch } = useQuery(shadowQuery(run));
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!shadow) return null;
  return (
    <section className="shadow" aria-labelledby="shadow-title">
      <div className="shadow-head">
        <h3 id="shadow-title" className="shadow-title">
          {run.plugin_profile === 'deterministic' ? 'Compared with a model' : 'Compared with built-in rules'}
        </h3>
        {shadow.agreement !== null && <Confidence label="Agreement" value={shadow.agreement} />}
      </div>
      <State shadow={shadow} />
      <div className="layers">
        {shadow.layers.map((layer) => (
          <Layer key={layer.layer} comparison={layer} />
        ))}
      </div>
    </section>
  );
}

function State({ shadow }: { shadow: Shadow }) {
  if (shadow.status === 'pending')
    return (
      <p className="small muted" role="status">
        The second analysis is running.
      </p>
    );
  if (shadow.status === 'failed')
    return <p className="side-panel-note">The second analysis failed: {shadow.error_text}</p>;
  return <p className="small muted">How far the findings and measures of both analyses agree, by layer.</p>;
}

function Layer({ comparison }: { comparison: LayerComparison }) {
  const { layer, agreement, findings_in_both, confidence, runtime_ms, provider_name, fallback_reason } =
    comparison;
  return (
    <details className="layer">
      <summary className="layer-head">
        <h4 className="layer-name">{layerNameOf(layer)}</h4>
        <Confidence label="Agreement" value={agreement} />
      </summary>
      <div className="layer-body">
        <table className="shadow-figures">
          <thead>
            <tr>
              <td />
              <th scope="col">This analysis</th>
              <th scope="col">Second analysis</th>
            </tr>
          </thead>
          <tbody>
            <Row
              name="Analysed by"
              here={providerOf(provider_name.primary)}
              there={providerOf(provider_name.shadow)}
            />
            <Row name="Confidence" here={percent(confidence.primary)} there={percent(confidence.shadow)} />
            <Row name="Time" here={time(runtime_ms.primary)} there={time(runtime_ms.shadow)} />
            {comparison.changed_measures.map(({ name, primary, shadow }) => (
              <Row key={name} name={measureNameOf(name)} here={shown(primary)} there={shown(shadow)} />
            ))}
          </tbody>
        </table>
        {fallback_reason.shadow && (
          <p className="layer-source">
            The second analysis used a fallback because {fallbackOf(fallback_reason.shadow)}.
          </p>
        )}
        <p className="small">{plural(findings_in_both, 'finding')} in both.</p>
        <Only title="Only in this analysis" findings={comparison.only_in_primary} />
        <Only title="Only in the second analysis" findings={comparison.only_in_shadow} />
      </div>
    </details>
  );
}

function Row({ name, here, there }: { name: string; here: string; there: string }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{here}</td>
      <td>{there}</td>
    </tr>
  );
}

function Only({ title, findings }: { title: string; findings: LayerComparison['only_in_primary'] }) {
  if (findings.length === 0) return null;
  return (
    <section>
      <h5 className="finding-kind-title">{title}</h5>
      <ul className="shadow-findings">
        {findings.map(({ kind, label }, index) => (
          // Labels are not unique: redacted ones look the same.
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
          <li key={index}>
            <span dir="auto">{label}</span> <span className="muted">{kindNameOf(kind)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

const time = (ms: number) => `${ms.toLocaleString()} ms`;
const shown = (value: number | string | null) => (value === null ? 'none' : value.toLocaleString());
