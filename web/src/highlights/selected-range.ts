import { useCallback, useEffect, useRef, useState } from 'react';
import { isInText } from './selected-spans.ts';
import { hasNoSelection, selectedRange } from './selection.ts';

/** Selecting with a finger or the keyboard changes the selection many times. */
const SETTLE_MS = 180;

/** Returns the selected text of the document. */
export function rangeInText(): Range | undefined {
  const range = selectedRange();
  return range && isInText(range) ? range : undefined;
}

/** Returns the selected text of the document, shortly after the selection has settled. */
export function useSelectedRange(): Range | undefined {
  const [range, setRange] = useState<Range>();
  // A page that is turned takes its selection along without an event.
  useEffect(() => {
    if (!range) return;
    const observer = new MutationObserver(() => {
      if (range.collapsed || !range.startContainer.isConnected) setRange(undefined);
    });
    observer.observe(document.body, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [range]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isPressed = useRef(false);
  const look = useCallback(() => {
    clearTimeout(timer.current);
    setRange(rangeInText());
  }, []);
  useEffect(() => {
    const lookSoon = () => {
      clearTimeout(timer.current);
      if (hasNoSelection()) look();
      else if (!isPressed.current) timer.current = setTimeout(look, SETTLE_MS);
    };
    const press = () => {
      isPressed.current = true;
    };
    const release = () => {
      isPressed.current = false;
      lookSoon();
    };
    // Text may be selected before this has loaded.
    look();
    document.addEventListener('selectionchange', lookSoon);
    document.addEventListener('pointerdown', press);
    document.addEventListener('pointerup', release);
    document.addEventListener('pointercancel', release);
    return () => {
      clearTimeout(timer.current);
      document.removeEventListener('selectionchange', lookSoon);
      document.removeEventListener('pointerdown', press);
      document.removeEventListener('pointerup', release);
      document.removeEventListener('pointercancel', release);
    };
  }, [look]);
  return range;
}
