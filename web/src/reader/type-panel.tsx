import { ALargeSmall, Minus, Plus } from 'lucide-react';
import { Popover } from 'radix-ui';
import '../ui/menu.css';
import { IconButton } from '../ui/button.tsx';
import {
  changeSettings,
  FACES,
  type ReaderSettings,
  resizeText,
  SIZES,
  SPACINGS,
  TINTS,
  useReaderSettings,
  WIDTHS,
} from './settings.ts';

const NAMES: Record<string, string> = {
  serif: 'Serif',
  sans: 'Sans',
  narrow: 'Narrow',
  medium: 'Medium',
  wide: 'Wide',
  auto: 'Auto',
  paper: 'Paper',
  sepia: 'Sepia',
  night: 'Night',
  tight: 'Tight',
  normal: 'Normal',
  loose: 'Loose',
};

/** The settings of font, size, width, spacing and colours. */
export function TypePanel() {
  const settings = useReaderSettings();
  return (
    <Popover.Root>
      <Popover.Trigger asChild>
        <IconButton label="Text and colours" icon={ALargeSmall} withTooltip={false} />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className="menu type-panel"
          align="end"
          sideOffset={6}
          collisionPadding={8}
          aria-label="Text and colours"
        >
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
          <Segments name="face" label="Font" values={FACES} settings={settings} />
          <Segments name="width" label="Width" values={WIDTHS} settings={settings} />
          <Segments name="spacing" label="Spacing" values={SPACINGS} settings={settings} />
          <Segments name="tint" label="Colours" values={TINTS} settings={settings} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

interface SegmentsProps<Name extends keyof ReaderSettings> {
  name: Name;
  label: string;
  values: readonly ReaderSettings[Name][];
  settings: ReaderSettings;
}

function Segments<Name extends 'face' | 'width' | 'spacing' | 'tint'>({
  name,
  label,
  values,
  settings,
}: SegmentsProps<Name>) {
  return (
    <div className="type-row">
      <span>{label}</span>
      <fieldset className="segments" aria-label={label}>
        {values.map((value) => (
          <button
            key={value}
            type="button"
            aria-pressed={settings[name] === value}
            className="segment"
            onClick={() => changeSettings({ [name]: value })}
          >
            {NAMES[value]}
          </button>
        ))}
      </fieldset>
    </div>
  );
}
