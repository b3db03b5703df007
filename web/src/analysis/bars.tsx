const WIDTH = 100;
const HEIGHT = 4;

/** A share as a bar. It says nothing that is not written beside it. */
export function Bar({ share }: { share: number }) {
  return (
    <svg
      className="beside-bar"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      <rect className="beside-bar-track" width={WIDTH} height={HEIGHT} />
      <rect className="beside-bar-fill" width={Math.min(1, Math.max(0, share)) * WIDTH} height={HEIGHT} />
    </svg>
  );
}

/** How far something can be trusted, or how far two agree. */
export function Confidence({ value, label = 'Confidence' }: { value: number; label?: string }) {
  const whole = Math.round(value * 100);
  return (
    // biome-ignore lint/a11y/useSemanticElements: browsers draw <meter> each in their own way
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
      <span className="confidence-number">{whole} %</span>
    </span>
  );
}
