import { createStore, useStore } from '../api/store.ts';
import { dateTime, distance } from './format.ts';

const TICK_MS = 5000;

const clock = createStore(Date.now(), () => {
  const ticking = setInterval(() => clock.set(Date.now()), TICK_MS);
  return () => clearInterval(ticking);
});

/** The current time, updated every few seconds while it is shown. */
export const useNow = (): number => useStore(clock);

/** A relative time, such as "5 min ago", with the exact time as its tooltip. */
export function Time({ at }: { at: string | null }) {
  const now = useNow();
  if (at === null) return <span className="muted">never</span>;
  return (
    <time dateTime={at} title={dateTime(at)} className="nowrap">
      {distance(now - Date.parse(at))}
    </time>
  );
}
