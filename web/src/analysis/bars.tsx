const WIDTH = 100;
const HEIGHT = 4;

/** A share as a bar. Hidden from screen readers, because the number is always shown next to it. */
export function Bar({ share }: { share: number }) {
  return (
    <svg
      className="side-panel-bar"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      <rect className="side-panel-bar-track" width={WIDTH} height={HEIGHT} />
      <rect className="side-panel-bar-fill" width={Math.min(1, Math.max(0, share)) * WIDTH} height={HEIGHT} />
    </svg>
  );
}

/** A meter of confidence or agreement. */
export function Confidence({ value, label = 'Confidence' }: { value: number; label?: string }) {
  const whole = Math.round(value * 100);
  return (
    // biome-ignore lint/a11y/useSemanticElements: <meter> cannot be styled consistently
    <span
      className="confidence"
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={whole}
      aria-valuetext={`${whole} %`}
      data-level={whole >= 60 ? 'high' : whole >= 30 ? 'middle' : 'low'}
      title={label}
    >
      <Bar share={value} />
      <span className="confidence-number">
        {whole} % <span className="confidence-label">{label.toLowerCase()}</span>
      </span>
    </span>
  );
}
