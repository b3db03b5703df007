import { Bar } from './bars.tsx';
import { measureNameOf, percent } from './labels.ts';
import type { Layer } from './queries.ts';

const SHARES = new Set(['cohesion', 'formality', 'lexical_variety']);
const EMPTY = new Set<number | string>([0, '', 'none', 'unknown']);

const isShare = (name: string) => name.endsWith('_share') || SHARES.has(name);

/** The measures of a layer: shares as bars, other values as a list. Empty values, and values that repeat findings, are hidden. */
export function Measures({ output: { measures, findings } }: Pick<Layer, 'output'>) {
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
