import type { AnalysedLayer, Finding, LayerComparison } from '../../contract/analysis.ts';
import { rounded } from './layers/layer.ts';

/** The most differences that are listed. */
const MOST_LISTED = 20;

/** Compares two runs over one text, layer by layer. */
export function compareLayers(primary: readonly AnalysedLayer[], shadow: readonly AnalysedLayer[]) {
  return primary.flatMap((one) => {
    const other = shadow.find(({ layer }) => layer === one.layer);
    return other ? [compareLayer(one, other)] : [];
  });
}

function compareLayer(primary: AnalysedLayer, shadow: AnalysedLayer): LayerComparison {
  const [mine, theirs] = [keysOf(primary), keysOf(shadow)];
  const onlyIn = (one: Map<string, Finding>, other: Map<string, Finding>) =>
    [...one].filter(([key]) => !other.has(key)).map(([, { kind, label }]) => ({ kind, label }));
  const [onlyMine, onlyTheirs] = [onlyIn(mine, theirs), onlyIn(theirs, mine)];
  const inBoth = mine.size - onlyMine.length;
  const [before, after] = [primary.output.measures, shadow.output.measures];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names
    .map((name) => ({ name, primary: before[name] ?? null, shadow: after[name] ?? null }))
    .filter((measure) => measure.primary !== measure.shadow);
  const same = inBoth + names.length - changed.length;
  const all = inBoth + onlyMine.length + onlyTheirs.length + names.length;
  const both = <T>(read: (layer: AnalysedLayer) => T) => ({ primary: read(primary), shadow: read(shadow) });
  return {
    layer: primary.layer,
    agreement: all === 0 ? 1 : rounded(same / all, 3),
    findings_in_both: inBoth,
    only_in_primary: onlyMine.slice(0, MOST_LISTED),
    only_in_shadow: onlyTheirs.slice(0, MOST_LISTED),
    changed_measures: changed,
    confidence: both(({ confidence }) => confidence),
    runtime_ms: both(({ runtime_ms }) => runtime_ms),
    provider_name: both(({ provider_name }) => provider_name),
    fallback_reason: both(({ fallback_reason }) => fallback_reason),
  };
}

function keysOf({ output }: AnalysedLayer): Map<string, Finding> {
  return new Map(
    output.findings.map((finding) => [`${finding.kind}\n${finding.label.toLowerCase()}`, finding]),
  );
}
