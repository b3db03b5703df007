import { useRouterState } from '@tanstack/react-router';
import { useEffect, useLayoutEffect, useRef } from 'react';

/** How far down each entry of the history was, for as long as the page is not loaded anew. */
const places = new Map<string, number>();

/**
 * Going back leads to where one was; going somewhere new begins at the top. Readers look after themselves: they know
 * the paragraph, not only the pixel.
 */
export function useScrollMemory(): void {
  const { key, isReader } = useRouterState({
    select: ({ resolvedLocation, location }) => {
      const { state, pathname } = resolvedLocation ?? location;
      return { key: state.__TSR_key ?? '', isReader: pathname.startsWith('/read/') };
    },
    structuralSharing: true,
  });
  const current = useRef(key);

  useLayoutEffect(() => {
    current.current = key;
    if (!isReader) window.scrollTo(0, places.get(key) ?? 0);
  }, [key, isReader]);

  useEffect(() => {
    const onScroll = () => places.set(current.current, window.scrollY);
    window.addEventListener('scroll', onScroll, { passive: true });
    return () => window.removeEventListener('scroll', onScroll);
  }, []);
}
