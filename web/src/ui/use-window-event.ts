import { useEffect, useRef } from 'react';

/** Calls the newest `listener` for every event of the window, while the component is mounted. */
export function useWindowEvent<Type extends keyof WindowEventMap>(
  type: Type,
  listener: (event: WindowEventMap[Type]) => void,
  { capture = false } = {},
): void {
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => {
    const call = (event: WindowEventMap[Type]) => latest.current(event);
    window.addEventListener(type, call, capture);
    return () => window.removeEventListener(type, call, capture);
  }, [type, capture]);
}
