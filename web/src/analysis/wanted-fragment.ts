import { useEffect, useRef } from 'react';

type Opener = (fragmentIdx: number) => void;
const openers = new Set<Opener>();

/** Asks the view to show a fragment that is not on the page. */
export function wantFragment(idx: number): void {
  for (const open of openers) open(idx);
}

/** For views that show one part at a time: called when a place in another part is wanted. */
export function useWantedFragment(open: Opener): void {
  const latest = useRef(open);
  latest.current = open;
  useEffect(() => {
    const opener: Opener = (idx) => latest.current(idx);
    openers.add(opener);
    return () => void openers.delete(opener);
  }, []);
}
