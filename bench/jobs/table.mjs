import { ratioOf } from './bars.mjs';
import { METRICS, VARIANTS } from './metrics.mjs';
import { median } from './statistics.mjs';

/** Medians, and beside each peer's what Nexus has for every one of it. */
export function contenderTable(runs, contenders) {
  const hasNexus = contenders.some(({ id }) => id === 'nexus');
  return align([
    ['', ...contenders.map(({ title }) => title)],
    ...METRICS.map(({ id, title, digits }) => [
      title,
      ...contenders.map((contender) => {
        const figure = figureOf(median(runs.map((run) => run[contender.id][id])), digits);
        if (!hasNexus || contender.id === 'nexus') return figure;
        const ratio = ratioOf(
          runs,
          (run) => run.nexus[id],
          (run) => run[contender.id][id],
        );
        return `${figure} (${ratio.toFixed(2)} ×)`;
      }),
    ]),
  ]);
}

export function variantTable(runs, counts) {
  return align([
    ['drain of Nexus', 'jobs/s', 'against the plain one'],
    ['plain', figureOf(median(runs.map(({ nexus }) => nexus.drainPerSecond)), 0), ''],
    ...VARIANTS.map(({ id, title }) => [
      counts[id] ? `${figureOf(counts[id], 0)} ${title}` : title,
      figureOf(median(runs.map(({ nexus }) => nexus[id].drainPerSecond)), 0),
      `${ratioOf(
        runs,
        (run) => run.nexus[id].drainPerSecond,
        (run) => run.nexus.drainPerSecond,
      ).toFixed(2)} ×`,
    ]),
  ]);
}

export function barTable(bars) {
  return align(bars.map(({ bar, measured, holds }) => [holds ? 'holds' : 'MISSED', bar, measured]));
}

function figureOf(value, digits) {
  return value.toLocaleString('en-GB', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function align(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('   ')
        .trimEnd(),
    )
    .join('\n');
}
