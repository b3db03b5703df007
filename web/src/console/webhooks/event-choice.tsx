import { EVENT_DESCRIPTIONS, EVENT_TYPES } from '../event-types.ts';

export interface EventChoiceProps {
  /** Empty: all of them. */
  value: readonly string[];
  onChange: (value: string[]) => void;
}

export function EventChoice({ value, onChange }: EventChoiceProps) {
  const toggle = (type: string) =>
    onChange(value.includes(type) ? value.filter((chosen) => chosen !== type) : [...value, type]);
  return (
    <fieldset className="console-choice">
      <legend className="field-label">Events</legend>
      <label className="console-choice-all">
        <input
          type="checkbox"
          className="checkbox"
          checked={value.length === 0}
          onChange={() => onChange([])}
        />
        All events, including future ones
      </label>
      <div className="console-choice-list">
        {EVENT_TYPES.map((type) => (
          <label key={type}>
            <input
              type="checkbox"
              className="checkbox"
              checked={value.includes(type)}
              onChange={() => toggle(type)}
            />
            <span>
              <code className="mono">{type}</code>
              <span className="muted small">{EVENT_DESCRIPTIONS[type]}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
