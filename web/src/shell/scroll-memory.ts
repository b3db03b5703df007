import { useRouterState } from '@tanstack/react-router';
import { useEffect, useLayoutEffect, useRef } from 'react';

/** The scroll offset of each history entry, until the page is reloaded. */
const offsets = new Map<string, number>();

/** Restores the scroll offset after going back. The reader restores its own position, by paragraph. */
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
    if (!isReader) window.scrollTo(0, offsets.get(key) ?? 0);
  }, [key, isReader]);

  useEffect(() => {
    const onScroll = () => offsets.set(current.current, window.scrollY);
    window.addEventListener('scroll', onScroll, { passive: true });
    return () => window.removeEventListener('scroll', onScroll);
  }, []);
}
