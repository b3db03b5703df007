import {
  GlobalWorkerOptions,
  getDocument,
  type PDFDocumentLoadingTask,
  type PDFDocumentProxy,
  TextLayer,
} from 'pdfjs-dist/legacy/build/pdf.mjs';
import workerUrl from 'pdfjs-dist/legacy/build/pdf.worker.min.mjs?url';
import { useEffect, useRef, useState } from 'react';
import { PdfLinks } from './pdf-links.tsx';

interface PdfPageProps {
  document: PDFDocumentProxy;
  number: number;
  /** The height-to-width ratio of the first page, used until this page is drawn. */
  ratio: number;
  zoom: number;
  /** Called when a link to another page is followed. */
  onGo: (page: number) => void;
}

/** A page, drawn on a canvas with a selectable text layer while it is near the screen. */
export function PdfPage({ document: pdf, number, ratio, zoom, onGo }: PdfPageProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(false);
  const [ownRatio, setOwnRatio] = useState(ratio);

  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const observer = new IntersectionObserver(([entry]) => setNear(entry?.isIntersecting ?? false), {
      rootMargin: '100% 0px',
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the width depends on the zoom
  useEffect(() => {
    const element = frame.current;
    if (!element || !isNear) return;
    const canvas = element.querySelector('canvas');
    const text = element.querySelector<HTMLElement>('.pdf-text');
    if (!canvas || !text) return;
    let isOver = false;
    const work: { cancel: () => void }[] = [];
    void (async () => {
      const page = await pdf.getPage(number);
      if (isOver) return;
      const plain = page.getViewport({ scale: 1 });
      setOwnRatio(plain.height / plain.width);
      const scale = element.clientWidth / plain.width;
      const viewport = page.getViewport({ scale: scale * Math.min(2, window.devicePixelRatio || 1) });
      canvas.width = Math.floor(viewport.width);
      canvas.height = Math.floor(viewport.height);
      const drawing = page.render({ canvas, viewport });
      work.push(drawing);
      await drawing.promise;
      if (isOver) return;
      text.replaceChildren();
      text.style.setProperty('--total-scale-factor', String(scale));
      const layer = new TextLayer({
        textContentSource: page.streamTextContent(),
        container: text,
        viewport: page.getViewport({ scale }),
      });
      work.push(layer);
      await layer.render();
    })().catch((error: unknown) => {
      // Scrolling on cancels the drawing.
      if (!isOver && !(error instanceof Error && error.name === 'RenderingCancelledException')) throw error;
    });
    return () => {
      isOver = true;
      for (const task of work) task.cancel();
    };
  }, [pdf, number, isNear, zoom]);

  return (
    <div ref={frame} className="pdf-page" data-page={number} style={{ aspectRatio: `1 / ${ownRatio}` }}>
      {isNear && (
        <>
          <canvas className="pdf-canvas" aria-hidden />
          <div className="pdf-text" />
          <PdfLinks document={pdf} number={number} onGo={onGo} />
        </>
      )}
    </div>
  );
}

GlobalWorkerOptions.workerSrc = workerUrl;

/**
 * Opens a PDF with the legacy build of pdf.js, for browsers that lack newer features. Eval and WebAssembly are off because
 * the Content-Security-Policy forbids both.
 */
export function openPdf(url: string): PDFDocumentLoadingTask {
  return getDocument({
    url,
    isEvalSupported: false,
    useWasm: false,
    cMapUrl: '/app/pdfjs/cmaps/',
    cMapPacked: true,
    standardFontDataUrl: '/app/pdfjs/standard_fonts/',
    enableXfa: false,
  });
}
