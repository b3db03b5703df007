import {
  GlobalWorkerOptions,
  getDocument,
  type PDFDocumentLoadingTask,
} from 'pdfjs-dist/legacy/build/pdf.mjs';
import workerUrl from 'pdfjs-dist/legacy/build/pdf.worker.min.mjs?url';

GlobalWorkerOptions.workerSrc = workerUrl;

/**
 * The build for browsers of the last years, which do not have all that pdf.js uses.
 * Without eval and without WebAssembly, neither of which the Content-Security-Policy allows.
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
