import { useEffect, useRef } from 'react';

interface FragmentRequest {
  /** Whether the person reads on there, and does not only visit it. */
  isReadingOn?: boolean;
}

type Opener = (fragmentIdx: number, request: FragmentRequest) => void;
const openers = new Set<Opener>();

/** Asks the reader to show a fragment that is not on the page. */
export function requestFragment(idx: number, request: FragmentRequest = {}): void {
  for (const open of openers) open(idx, request);
}

/** Calls `open` when another fragment is requested. For views that show one part at a time. */
export function useFragmentRequests(open: Opener): void {
  const latest = useRef(open);
  latest.current = open;
  useEffect(() => {
    const opener: Opener = (...request) => latest.current(...request);
    openers.add(opener);
    return () => void openers.delete(opener);
  }, []);
}
