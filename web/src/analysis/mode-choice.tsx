import type { Mode } from './queries.ts';

const NAMES: Record<Mode, string> = { PUBLIC: 'As policies allow', RAW: 'Raw' };
const MODES = Object.keys(NAMES) as Mode[];

/** Offered to those who may see texts as they are. */
export function ModeChoice({ mode, onChange }: { mode: Mode; onChange: (mode: Mode) => void }) {
  return (
    <fieldset className="mode-choice">
      <legend className="visually-hidden">What is shown</legend>
      <span className="segments">
        {MODES.map((value) => (
          <button
            key={value}
            type="button"
            className="segment"
            aria-pressed={mode === value}
            onClick={() => onChange(value)}
          >
            {NAMES[value]}
          </button>
        ))}
      </span>
    </fieldset>
  );
}
