import {
  GlobalWorkerOptions,
  getDocument,
  type PDFDocumentLoadingTask,
  type PDFDocumentProxy,
  type PDFPageProxy,
} from 'pdfjs-dist/legacy/build/pdf.mjs';
import workerUrl from 'pdfjs-dist/legacy/build/pdf.worker.min.mjs?url';
import { useEffect, useRef, useState } from 'react';
import { DrawnPage } from './drawn-page.tsx';
import { PdfLinks } from './pdf-links.tsx';

interface PdfPageProps {
  document: PDFDocumentProxy;
  number: number;
  /** The height-to-width ratio of the first page, used until this page is loaded. */
  ratio: number;
  /** Called when a link to another page is followed. */
  onGo: (page: number) => void;
}

/** A page, loaded and drawn while it is near the screen. */
export function PdfPage({ document: pdf, number, ratio, onGo }: PdfPageProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(false);
  const [page, setPage] = useState<PDFPageProxy>();

  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const observer = new IntersectionObserver(([entry]) => setNear(entry?.isIntersecting ?? false), {
      rootMargin: '100% 0px',
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    if (!isNear) return;
    let isOver = false;
    pdf
      .getPage(number)
      .then((loaded) => !isOver && setPage(loaded))
      .catch((error: unknown) => {
        if (!isOver) throw error;
      });
    return () => {
      isOver = true;
    };
  }, [pdf, number, isNear]);

  const size = page?.getViewport({ scale: 1 });
  const aspectRatio = `1 / ${size ? size.height / size.width : ratio}`;
  return (
    <div ref={frame} className="pdf-page" data-page={number} style={{ aspectRatio }}>
      {isNear && page && (
        <>
          <DrawnPage page={page} frame={frame} />
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
