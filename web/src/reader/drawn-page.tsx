import { type PDFPageProxy, TextLayer } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { type RefObject, useEffect, useRef, useState } from 'react';

/** How long a frame must keep its width before the page is drawn again. */
const SETTLED_MS = 150;

interface DrawnPageProps {
  page: PDFPageProxy;
  /** The element that the page fills. */
  frame: RefObject<HTMLElement | null>;
}

/** A page of a PDF on a canvas, with a selectable text layer above it. */
export function DrawnPage({ page, frame }: DrawnPageProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const text = useRef<HTMLDivElement>(null);
  const scale = useScale(page, frame);
  usePicture(canvas, page, scale);
  useTextLayer(text, page, scale);
  return (
    <>
      <canvas ref={canvas} className="pdf-canvas" aria-hidden />
      <div ref={text} className="pdf-text" />
    </>
  );
}

/**
 * Returns the scale to draw a page at, undefined until the frame is measured. The frame gets another width when the window
 * is resized, a phone is turned, the side panel opens or the person zooms. The words follow at once, by a CSS variable.
 * The scale follows when the width has settled, because drawing is expensive.
 */
function useScale(page: PDFPageProxy, frame: RefObject<HTMLElement | null>): number | undefined {
  const [scale, setScale] = useState<number>();
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const { width } = page.getViewport({ scale: 1 });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const observer = new ResizeObserver(([entry]) => {
      const next = (entry?.contentRect.width ?? 0) / width;
      // A hidden page keeps its drawing.
      if (next === 0) return;
      element.style.setProperty('--total-scale-factor', String(next));
      setScale((first) => first ?? next);
      clearTimeout(timer);
      timer = setTimeout(() => setScale(next), SETTLED_MS);
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      clearTimeout(timer);
    };
  }, [page, frame]);
  return scale;
}

function usePicture(
  canvas: RefObject<HTMLCanvasElement | null>,
  page: PDFPageProxy,
  scale: number | undefined,
): void {
  useEffect(() => {
    const shown = canvas.current;
    if (!shown || scale === undefined) return;
    const viewport = page.getViewport({ scale: scale * Math.min(2, window.devicePixelRatio || 1) });
    // On another canvas: the page at its old size stays visible, stretched, until the new drawing is complete.
    const drawn = document.createElement('canvas');
    drawn.width = Math.floor(viewport.width);
    drawn.height = Math.floor(viewport.height);
    const drawing = page.render({ canvas: drawn, viewport });
    let isOver = false;
    drawing.promise
      .then(() => {
        shown.width = drawn.width;
        shown.height = drawn.height;
        shown.getContext('2d')?.drawImage(drawn, 0, 0);
      })
      .catch((error: unknown) => {
        // Scrolling on cancels the drawing.
        if (!isOver) throw error;
      });
    return () => {
      isOver = true;
      drawing.cancel();
    };
  }, [canvas, page, scale]);
}

/** The words are laid out once, and only measured anew at another scale, so that selections and marks stay. */
function useTextLayer(
  text: RefObject<HTMLElement | null>,
  page: PDFPageProxy,
  scale: number | undefined,
): void {
  const layer = useRef<TextLayer>(undefined);
  useEffect(() => {
    const container = text.current;
    if (!container) return;
    const made = new TextLayer({
      textContentSource: page.streamTextContent(),
      container,
      viewport: page.getViewport({ scale: 1 }),
    });
    layer.current = made;
    let isOver = false;
    made.render().catch((error: unknown) => {
      if (!isOver) throw error;
    });
    return () => {
      isOver = true;
      made.cancel();
      container.replaceChildren();
    };
  }, [text, page]);
  useEffect(() => {
    if (scale !== undefined) layer.current?.update({ viewport: page.getViewport({ scale }) });
  }, [page, scale]);
}
