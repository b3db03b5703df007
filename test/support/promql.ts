import { parser } from '@prometheus-io/lezer-promql';

/** The series that an expression reads, with the labels that it matches, and the labels that it groups by. */
export interface PromqlReads {
  series: { name: string; labels: string[] }[];
  groupedBy: string[];
}

/** Parses an expression of PromQL. Throws when it is malformed. */
export function readsOf(expression: string): PromqlReads {
  const reads: PromqlReads = { series: [], groupedBy: [] };
  const textOf = ({ from, to }: { from: number; to: number }) => expression.slice(from, to);
  parser.parse(expression).iterate({
    enter(node) {
      if (node.type.isError) throw new Error(`Malformed near ${node.from}: ${expression}`);
      const isGrouping = node.matchContext(['GroupingLabels']);
      if (node.name === 'Identifier' && node.matchContext(['VectorSelector']))
        reads.series.push({ name: textOf(node), labels: [] });
      else if (node.name === 'LabelName' && isGrouping) reads.groupedBy.push(textOf(node));
      else if (node.name === 'LabelName') reads.series.at(-1)?.labels.push(textOf(node));
    },
  });
  if (reads.series.length === 0) throw new Error(`It reads no series: ${expression}`);
  return reads;
}

/** The series of a scrape: the labels that each name has. */
export function labelsOfSeries(scrape: string): Map<string, Set<string>> {
  const labels = new Map<string, Set<string>>();
  for (const line of scrape.split('\n')) {
    const [, name, list = ''] = /^([a-z_]\w*)(?:\{(.*)\})? \S+$/i.exec(line) ?? [];
    if (name === undefined) continue;
    const known = labels.get(name) ?? new Set();
    labels.set(name, known);
    for (const [, label = ''] of list.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) known.add(label);
  }
  return labels;
}
