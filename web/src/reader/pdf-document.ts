import {
  GlobalWorkerOptions,
  getDocument,
  type PDFDocumentLoadingTask,
} from 'pdfjs-dist/legacy/build/pdf.mjs';
import workerUrl from 'pdfjs-dist/legacy/build/pdf.worker.min.mjs?url';

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
