import { GlobalWorkerOptions, getDocument, type PDFDocumentLoadingTask } from 'pdfjs-dist';
import workerUrl from 'pdfjs-dist/build/pdf.worker.min.mjs?url';

GlobalWorkerOptions.workerSrc = workerUrl;

/** Without eval and without WebAssembly, neither of which the Content-Security-Policy allows. */
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
