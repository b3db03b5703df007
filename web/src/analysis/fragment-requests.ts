import { useEffect, useRef } from 'react';

type Opener = (fragmentIdx: number) => void;
const openers = new Set<Opener>();

/** Asks the reader to show a fragment that is not on the page. */
export function requestFragment(idx: number): void {
  for (const open of openers) open(idx);
}

/** Calls `open` when another fragment is requested. For views that show one part at a time. */
export function useFragmentRequests(open: Opener): void {
  const latest = useRef(open);
  latest.current = open;
  useEffect(() => {
    const opener: Opener = (idx) => latest.current(idx);
    openers.add(opener);
    return () => void openers.delete(opener);
  }, []);
}
