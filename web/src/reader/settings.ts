import { useSyncExternalStore } from 'react';

export const FACES = ['serif', 'sans'] as const;
export const WIDTHS = ['narrow', 'medium', 'wide'] as const;
export const TINTS = ['auto', 'paper', 'sepia', 'night'] as const;
export const SIZES = [16, 17.5, 19, 21, 23, 26] as const;
export const SPACINGS = ['tight', 'normal', 'loose'] as const;

/** How this person likes to read on this device. */
export interface ReaderSettings {
  face: (typeof FACES)[number];
  width: (typeof WIDTHS)[number];
  tint: (typeof TINTS)[number];
  spacing: (typeof SPACINGS)[number];
  /** A place in SIZES. */
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

let current = read();
const watchers = new Set<() => void>();

export function changeSettings(change: Partial<ReaderSettings>): void {
  current = { ...current, ...change };
  localStorage.setItem(KEY, JSON.stringify(current));
  for (const watcher of watchers) watcher();
}

export function useReaderSettings(): ReaderSettings {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => current,
  );
}
