import './fixed-page.css';
import { type RefObject, type TouchEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import type { LaidOutFragment } from '../api/types.ts';
import { hasNoSelection } from '../highlights/selection.ts';
import { followLinks } from './links.ts';
import { pageSheets } from './page-sheet.ts';
import { SanitizedHtml } from './sanitized-html.tsx';

type PageLayout = Extract<NonNullable<LaidOutFragment['layout']>, { type: 'page' }>;

interface FixedPageProps {
  fragment: LaidOutFragment;
  layout: PageLayout;
  onFollow: (href: string) => void;
  /** Called when the person swipes to the left (1) or to the right (-1). */
  onSwipe: (direction: 1 | -1) => void;
}

/** The size of a page of one image, until the image is loaded. */
const USUAL = { width: 900, height: 1200 };

/** A page of a fixed-layout book in its own layout, scaled to the window. Its styles apply to nothing else. */
export function FixedPage({ fragment, layout, onFollow, onSwipe }: FixedPageProps) {
  const frame = useRef<HTMLDivElement>(null);
  const host = useRef<HTMLDivElement>(null);
  const [root, setRoot] = useState<ShadowRoot>();
  const natural = useNaturalSize(root, layout);
  const width = layout.width ?? natural.width;
  const height = layout.height ?? natural.height;
  const scale = useScale(frame, width, height);

  useLayoutEffect(() => {
    if (!host.current) return;
    const shadow = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    shadow.adoptedStyleSheets = pageSheets(layout.styles);
    setRoot(shadow);
  }, [layout]);

  return (
    <div ref={frame} className="fixed-page-frame" {...useSwipe(onSwipe)}>
      <div className="fixed-page-box" style={{ width: width * scale, height: height * scale }}>
        {/* biome-ignore lint/a11y: handles clicks of the links inside, which work with the keyboard */}
        <div
          ref={host}
          className="fixed-page"
          data-fragment={fragment.idx}
          style={{ width, height, transform: `scale(${scale})` }}
          onClick={followLinks(onFollow)}
        >
          {root && createPortal(<SanitizedHtml html={fragment.html_sanitized} idx={fragment.idx} />, root)}
        </div>
      </div>
    </div>
  );
}

/** Returns the factor by which a page fits into its frame. */
function useScale(frame: RefObject<HTMLElement | null>, width: number, height: number): number {
  const [room, setRoom] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const measure = () => setRoom({ width: element.clientWidth, height: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [frame]);
  return Math.min(room.width / width, room.height / height);
}

/** Returns the size of the image of a page that has no other size. */
function useNaturalSize(root: ShadowRoot | undefined, { width }: PageLayout): typeof USUAL {
  const [size, setSize] = useState(USUAL);
  useEffect(() => {
    const image = width === null ? root?.querySelector('img') : undefined;
    if (!image) return;
    const measure = () => {
      const { naturalWidth, naturalHeight } = image;
      if (naturalWidth > 0 && naturalHeight > 0) setSize({ width: naturalWidth, height: naturalHeight });
    };
    measure();
    image.addEventListener('load', measure);
    return () => image.removeEventListener('load', measure);
  }, [root, width]);
  return size;
}

const SWIPE = 60;

/** Recognises a swipe of one finger, unless the page is zoomed in. */
function useSwipe(onSwipe: (direction: 1 | -1) => void) {
  const from = useRef<{ x: number; y: number }>(undefined);
  return {
    onTouchStart({ touches }: TouchEvent) {
      const isZoomed = (window.visualViewport?.scale ?? 1) > 1.01;
      const { clientX: x = 0, clientY: y = 0 } = touches[0] ?? {};
      from.current = touches.length === 1 && !isZoomed ? { x, y } : undefined;
    },
    onTouchEnd({ changedTouches }: TouchEvent) {
      const [touch] = Array.from(changedTouches);
      // A finger that selects text moves like one that swipes.
      if (!from.current || !touch || !hasNoSelection()) return;
      const [x, y] = [touch.clientX - from.current.x, touch.clientY - from.current.y];
      from.current = undefined;
      if (Math.abs(x) > SWIPE && Math.abs(x) > 2 * Math.abs(y)) onSwipe(x < 0 ? 1 : -1);
    },
  };
}
