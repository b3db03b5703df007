import type { Mode } from './queries.ts';

const NAMES: Record<Mode, string> = { PUBLIC: 'With policies applied', RAW: 'Original text' };
const MODES = Object.keys(NAMES) as Mode[];

/** Switches between redacted and original text. Shown to people who may see the original. */
export function ModeChoice({ mode, onChange }: { mode: Mode; onChange: (mode: Mode) => void }) {
  return (
    <fieldset className="mode-choice">
      <legend className="visually-hidden">Text</legend>
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
