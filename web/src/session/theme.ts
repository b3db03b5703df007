import { createStore, useStore } from '../api/store.ts';

export type Theme = 'system' | 'light' | 'dark';
const KEY = 'nexus.theme';

export const THEMES: { value: Theme; label: string }[] = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

/** `theme.js` has set the attribute before the app starts. */
const themeStore = createStore<Theme>(
  (['light', 'dark'] as const).find((theme) => theme === document.documentElement.dataset.theme) ?? 'system',
);

export function setTheme(theme: Theme): void {
  if (theme === 'system') {
    delete document.documentElement.dataset.theme;
    localStorage.removeItem(KEY);
  } else {
    document.documentElement.dataset.theme = theme;
    localStorage.setItem(KEY, theme);
  }
  themeStore.set(theme);
}

export const useTheme = (): Theme => useStore(themeStore);
