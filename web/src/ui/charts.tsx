import './charts.css';

interface ChartProps {
  values: readonly number[];
  /** What the chart says, in words. */
  label: string;
  height?: number;
}

const WIDTH = 300;

/** A line over time, without axes. */
export function Sparkline({ values, label, height = 48 }: ChartProps) {
  const top = Math.max(1, ...values);
  const step = WIDTH / Math.max(1, values.length - 1);
  const points = values.map((value, index) => `${index * step},${height - (value / top) * (height - 3) - 1}`);
  return (
    <svg
      className="chart"
      viewBox={`0 0 ${WIDTH} ${height}`}
      height={height}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <polygon className="chart-area" points={`0,${height} ${points.join(' ')} ${WIDTH},${height}`} />
      <polyline className="chart-line" points={points.join(' ')} />
    </svg>
  );
}

/** Bars over time, without axes; `danger` paints them in the colour of failures. */
export function BarChart({ values, label, height = 48, danger = false }: ChartProps & { danger?: boolean }) {
  const top = Math.max(1, ...values);
  const step = WIDTH / Math.max(1, values.length);
  return (
    <svg
      className="chart"
      viewBox={`0 0 ${WIDTH} ${height}`}
      height={height}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {values.map((value, index) => {
        const size = value === 0 ? 0 : Math.max(2, (value / top) * height);
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place in time
            key={index}
            className={danger ? 'chart-bar chart-bar-danger' : 'chart-bar'}
            x={index * step + step * 0.12}
            y={height - size}
            width={step * 0.76}
            height={size}
            rx={1}
          />
        );
      })}
    </svg>
  );
}
