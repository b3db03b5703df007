import { useEffect, useRef } from 'react';

export interface Shortcut {
  /** A `KeyboardEvent.key`, or two in sequence: `g l`. */
  keys: string;
  label: string;
  group: 'Go to' | 'List' | 'Reader' | 'Everywhere';
  run: () => void;
}

const CHORD_MS = 1200;

/** The newest is last and wins, so pages override the shell. */
const active: Shortcut[] = [];
let pending: { key: string; at: number } | undefined;

export function activeShortcuts(): readonly Shortcut[] {
  return active;
}

/** Adds shortcuts while the component is mounted. `run` may change between renders. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  const names = shortcuts.map(({ keys }) => keys).join(',');
  useEffect(() => {
    const added = (names === '' ? [] : names.split(',')).map((keys, index): Shortcut => {
      const { label = '', group = 'Everywhere' } = latest.current[index] ?? {};
      return { keys, label, group, run: () => latest.current[index]?.run() };
    });
    active.push(...added);
    return () => {
      for (const shortcut of added) active.splice(active.indexOf(shortcut), 1);
    };
  }, [names]);
}

/** Whether the focused element handles the key itself: an input, a menu, a dialog. */
function isTaken(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return true;
  // Shift with these keys extends the selection.
  if (event.shiftKey && /^(Arrow|Page|Home|End)/.test(event.key)) return true;
  const target = event.target instanceof Element ? event.target : null;
  if (target?.closest('input:not([type="checkbox"]), textarea, select, [contenteditable], [role="menu"]'))
    return true;
  if (event.key === 'Enter' && target?.closest('a, button, summary')) return true;
  // A wide table or code block scrolls.
  if (/^Arrow(Left|Right)$/.test(event.key) && target?.matches('[tabindex="0"]') && isWide(target))
    return true;
  return document.querySelector('dialog:modal') !== null;
}

function isWide({ scrollWidth, clientWidth }: Element): boolean {
  return scrollWidth > clientWidth;
}

function find(keys: string): Shortcut | undefined {
  return active.findLast((shortcut) => shortcut.keys === keys);
}

export function handleKey(event: KeyboardEvent): void {
  if (isTaken(event)) return;
  const first = pending && event.timeStamp - pending.at < CHORD_MS ? pending.key : undefined;
  pending = undefined;
  const chosen = (first && find(`${first} ${event.key}`)) || find(event.key);
  if (chosen) {
    event.preventDefault();
    chosen.run();
    return;
  }
  if (active.some(({ keys }) => keys.startsWith(`${event.key} `))) {
    pending = { key: event.key, at: event.timeStamp };
  }
}
