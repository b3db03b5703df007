import { createStore, useStore } from '../api/store.ts';

export const FACES = ['serif', 'sans'] as const;
export const WIDTHS = ['narrow', 'medium', 'wide'] as const;
export const TINTS = ['auto', 'paper', 'sepia', 'night'] as const;
export const SIZES = [16, 17.5, 19, 21, 23, 26] as const;
export const SPACINGS = ['tight', 'normal', 'loose'] as const;

/** The reader's appearance, kept on this device. */
export interface ReaderSettings {
  face: (typeof FACES)[number];
  width: (typeof WIDTHS)[number];
  tint: (typeof TINTS)[number];
  spacing: (typeof SPACINGS)[number];
  /** An index of SIZES. */
  size: number;
}

const KEY = 'nexus.reader';
const DEFAULTS: ReaderSettings = { face: 'serif', width: 'medium', tint: 'auto', spacing: 'normal', size: 2 };

function read(): ReaderSettings {
  try {
    const known: Partial<ReaderSettings> = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    const pick = <T>(values: readonly T[], value: unknown, usual: T) =>
      values.find((candidate) => candidate === value) ?? usual;
    return {
      face: pick(FACES, known.face, DEFAULTS.face),
      width: pick(WIDTHS, known.width, DEFAULTS.width),
      tint: pick(TINTS, known.tint, DEFAULTS.tint),
      spacing: pick(SPACINGS, known.spacing, DEFAULTS.spacing),
      size: typeof known.size === 'number' && known.size in SIZES ? known.size : DEFAULTS.size,
    };
  } catch {
    return DEFAULTS;
  }
}

const settingsStore = createStore(read());

export function changeSettings(change: Partial<ReaderSettings>): void {
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
