import { useEffect, useRef, useState } from 'react';

/**
 * Returns the text of a search field and its setter. The field filters by `value`, which is in the address: `apply` is called
 * with the typed text when typing pauses, and a value that comes from elsewhere replaces the text.
 */
export function useTypedText(value: string, pauseMs: number, apply: (text: string) => void) {
  const [text, setText] = useState(value);
  const applied = useRef(value);
  const latest = useRef(apply);
  latest.current = apply;
  useEffect(() => {
    if (value === applied.current) return;
    applied.current = value;
    setText(value);
  }, [value]);
  useEffect(() => {
    const typed = text.trim();
    // Applying the value again would replace a navigation that was just started, such as to a hit.
    if (typed === value) return;
    const timer = setTimeout(() => {
      applied.current = typed;
      latest.current(typed);
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [text, value, pauseMs]);
  return [text, setText] as const;
}
