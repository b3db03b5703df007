import { useSyncExternalStore } from 'react';
import { dateTime, distance } from './format.ts';

const TICK_MS = 5000;
const watchers = new Set<() => void>();
let now = Date.now();
let ticking: ReturnType<typeof setInterval> | undefined;

function subscribe(watcher: () => void): () => void {
  watchers.add(watcher);
  ticking ??= setInterval(() => {
    now = Date.now();
    for (const tell of watchers) tell();
  }, TICK_MS);
  return () => {
    watchers.delete(watcher);
    if (watchers.size > 0) return;
    clearInterval(ticking);
    ticking = undefined;
  };
}

/** The time, to within some seconds; what uses it is drawn again as it passes. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

/** How long ago something was; the exact time on hover. */
export function Time({ at }: { at: string | null }) {
  const current = useNow();
  if (at === null) return <span className="muted">never</span>;
  return (
    <time dateTime={at} title={dateTime(at)} className="nowrap">
      {distance(Math.max(current, now) - Date.parse(at))}
    </time>
  );
}
