import './vertical-text.css';
import { type ReactNode, useEffect, useRef } from 'react';
import { useShortcuts } from '../keyboard/shortcuts.ts';
import { scrollText } from './reading-axis.ts';

interface VerticalTextProps {
  writingMode: 'vertical-rl' | 'vertical-lr';
  children: ReactNode;
}

/** Text in vertical lines. It scrolls across a box of its own, also by a wheel that turns up and down. */
export function VerticalText({ writingMode, children }: VerticalTextProps) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const forward = writingMode === 'vertical-rl' ? -1 : 1;
    const onWheel = (event: WheelEvent) => {
      if (event.ctrlKey || event.shiftKey || Math.abs(event.deltaY) <= Math.abs(event.deltaX)) return;
      const before = element.scrollLeft;
      element.scrollLeft += forward * event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 20 : 1);
      // At its end, the wheel moves the window.
      if (element.scrollLeft !== before) event.preventDefault();
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [writingMode]);
  useShortcuts([
    { keys: 'PageDown', label: 'Scroll one screen', group: 'Reader', run: () => scrollText(0.9) },
    { keys: 'PageUp', label: 'Scroll one screen back', group: 'Reader', run: () => scrollText(-0.9) },
  ]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls only what can have the focus
    <section ref={box} className="vertical-text" data-writing={writingMode} aria-label="Text" tabIndex={0}>
      {children}
    </section>
  );
}
