import { ALargeSmall, Minus, Plus } from 'lucide-react';
import { createStore, useStore } from '../api/store.ts';
import { IconButton } from '../ui/button.tsx';
import { Popover } from '../ui/popover.tsx';

export const SIZES = [16, 17.5, 19, 21, 23, 26] as const;

const CHOICES = {
  face: { label: 'Font', values: ['serif', 'sans'] },
  width: { label: 'Width', values: ['narrow', 'medium', 'wide'] },
  spacing: { label: 'Spacing', values: ['tight', 'normal', 'loose'] },
  tint: { label: 'Colours', values: ['auto', 'paper', 'sepia', 'night'] },
};
type Choice = keyof typeof CHOICES;
const NAMES = Object.keys(CHOICES) as Choice[];

/** The reader's appearance, kept on this device. `size` is an index of SIZES. */
type ReaderSettings = Record<Choice, string> & { size: number };

const KEY = 'nexus.reader';
const DEFAULTS: ReaderSettings = { face: 'serif', width: 'medium', tint: 'auto', spacing: 'normal', size: 2 };

function read(): ReaderSettings {
  try {
    const kept: Partial<ReaderSettings> = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    const chosen = NAMES.map((name) => [name, CHOICES[name].values.find((value) => value === kept[name])]);
    const isSize = typeof kept.size === 'number' && kept.size in SIZES;
    return {
      ...DEFAULTS,
      ...Object.fromEntries(chosen.filter(([, value]) => value)),
      ...(isSize && { size: kept.size }),
    };
  } catch {
    return DEFAULTS;
  }
}

const settingsStore = createStore(read());

function changeSettings(change: Partial<ReaderSettings>): void {
  const next = { ...settingsStore.get(), ...change };
  localStorage.setItem(KEY, JSON.stringify(next));
  settingsStore.set(next);
}

/** Makes the text larger or smaller by steps of `SIZES`. */
export function resizeText(step: number): void {
  const { size } = settingsStore.get();
  changeSettings({ size: Math.min(SIZES.length - 1, Math.max(0, size + step)) });
}

export const useReaderSettings = (): ReaderSettings => useStore(settingsStore);

/** The settings of font, size, width, spacing and colours. A PDF has colours only. */
export function TypePanel({ isPdf }: { isPdf: boolean }) {
  const settings = useReaderSettings();
  return (
    <Popover
      label="Text and colours"
      trigger={<IconButton label="Text and colours" icon={ALargeSmall} withTooltip={false} />}
    >
      <div className="type-panel">
        {!isPdf && (
          <div className="type-row">
            <span>Size</span>
            <span className="row">
              <IconButton
                label="Smaller"
                icon={Minus}
                size="small"
                disabled={settings.size === 0}
                onClick={() => resizeText(-1)}
              />
              <span className="mono" role="status">
                {SIZES[settings.size]}
              </span>
              <IconButton
                label="Larger"
                icon={Plus}
                size="small"
                disabled={settings.size === SIZES.length - 1}
                onClick={() => resizeText(1)}
              />
            </span>
          </div>
        )}
        {NAMES.filter((name) => !isPdf || name === 'tint').map((name) => (
          <Segments key={name} name={name} current={settings[name]} />
        ))}
      </div>
    </Popover>
  );
}

function Segments({ name, current }: { name: Choice; current: string }) {
  const { label, values } = CHOICES[name];
  return (
    <div className="type-row">
      <span>{label}</span>
      <fieldset className="segments" aria-label={label}>
        {values.map((value) => (
          <button
            key={value}
            type="button"
            aria-pressed={current === value}
            className="segment"
            onClick={() => changeSettings({ [name]: value })}
          >
            {value.charAt(0).toUpperCase() + value.slice(1)}
          </button>
        ))}
      </fieldset>
    </div>
  );
}
