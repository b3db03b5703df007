import './run-options.css';
import { Select } from '../ui/field.tsx';
import { profileNameOf } from './labels.ts';
import type { AnalysisOptions, Mode, Profiles } from './queries.ts';

interface RunOptionsProps {
  profiles: Profiles;
  options: AnalysisOptions;
  onChange: (change: Partial<AnalysisOptions>) => void;
}

/** The profile of the next analysis, and whether it is compared with another one. Shown when there is a choice. */
export function RunOptions({ profiles, options: { profile, isCompared }, onChange }: RunOptionsProps) {
  const available = profiles.profiles.filter(({ is_available }) => is_available);
  if (available.length < 2) return null;
  const model = available.flatMap(({ plugins }) => plugins).find(({ name }) => name === 'ml');
  return (
    <fieldset className="run-options">
      <legend className="visually-hidden">Analysis options</legend>
      <Select
        label="Analysed by"
        value={profile}
        options={available.map(({ plugin_profile }) => ({
          value: plugin_profile,
          label: profileNameOf(plugin_profile),
        }))}
        onChange={(chosen) => onChange({ profile: chosen })}
      />
      {profiles.is_shadow_enabled && (
        <label className="run-options-check">
          <input
            type="checkbox"
            className="checkbox"
            checked={isCompared}
            onChange={(event) => onChange({ isCompared: event.target.checked })}
          />
          {profile === 'deterministic' ? 'Compare with a model' : 'Compare with built-in rules'}
        </label>
      )}
      {profile !== 'deterministic' && (
        <p className="run-options-note">
          The beginning of the text is sent to the model {model?.version}. Redacted words are not sent.
        </p>
      )}
    </fieldset>
  );
}

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
