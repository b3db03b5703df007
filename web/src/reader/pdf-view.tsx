import './pdf.css';
import { Download, ZoomIn, ZoomOut } from 'lucide-react';
import type { PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { useEffect, useRef, useState } from 'react';
import { useFragmentRequests } from '../analysis/fragment-requests.ts';
import { ApiError, apiUrl } from '../api/client.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { ErrorState, Skeleton } from '../ui/states.tsx';
import { useWindowEvent } from '../ui/use-window-event.ts';
import { Contents } from './contents.tsx';
import { openPdf, PdfPage } from './pdf-page.tsx';
import type { ViewProps } from './reader-page.tsx';

const ZOOMS = [0.6, 0.8, 1, 1.25, 1.6, 2];
const BROKEN = new ApiError(
  0,
  'E_INVALID_STATE',
  'This PDF could not be displayed. It may be damaged. Download it to open it in another program.',
);

/** Shows the pages of a PDF. Each is drawn when it is near the screen. */
export default function PdfView({ media, start, onProgress, isContentsOpen, onContents }: ViewProps) {
  const [pdf, setPdf] = useState<{ document: PDFDocumentProxy; ratio: number }>();
  const [error, setError] = useState<unknown>();
  const [zoom, setZoom] = useState(2);
  const [page, setPage] = useState(start.page ?? 1);
  const pages = useRef<HTMLDivElement>(null);
  const startPage = useRef(start.page ?? 1);
  const file = apiUrl(`/media/${media.id}/file`);

  useEffect(() => {
    const opening = openPdf(file);
    opening.promise
      .then(async (document) => {
        const { width, height } = (await document.getPage(1)).getViewport({ scale: 1 });
        setPdf({ document, ratio: height / width });
      })
      .catch(() => setError(BROKEN));
    return () => void opening.destroy();
  }, [file]);

  const go = (number: number, behavior: ScrollBehavior = 'instant') => {
    pages.current?.querySelector(`[data-page="${number}"]`)?.scrollIntoView({ behavior, block: 'start' });
    if (window.innerWidth < 900) onContents(false);
  };
  useFragmentRequests((idx) => go(idx + 1));
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the pages are loaded
  useEffect(() => {
    if (pdf && startPage.current > 1) go(startPage.current);
  }, [pdf]);

  const count = pdf?.document.numPages ?? 0;
  useWindowEvent('scroll', () => {
    if (!pdf) return;
    const all = [...(pages.current?.children ?? [])];
    const index = all.findIndex((element) => element.getBoundingClientRect().bottom > window.innerHeight / 2);
    const number = index < 0 ? all.length : index + 1;
    setPage(number);
    onProgress(all.length > 1 ? (number - 1) / (all.length - 1) : 1, { page: number });
  });

  if (error) {
    return (
      <ErrorState error={error}>
        <a className="button button-primary" href={file} download>
          Download
        </a>
      </ErrorState>
    );
  }
  return (
    <div className="reader-layout" data-contents={isContentsOpen && media.outline.length > 0}>
      {isContentsOpen && media.outline.length > 0 && (
        <Contents outline={media.outline} current={page - 1} onGo={(fragment) => go(fragment + 1)} />
      )}
      <div className="pdf">
        <h1 className="visually-hidden">{media.title}</h1>
        <div className="pdf-tools" role="toolbar" aria-label="Pages">
          <IconButton
            label="Zoom out"
            icon={ZoomOut}
            size="small"
            disabled={zoom === 0}
            onClick={() => setZoom(zoom - 1)}
          />
          <Button look="ghost" size="small" onClick={() => setZoom(2)}>
            {Math.round((ZOOMS[zoom] ?? 1) * 100)} %
          </Button>
          <IconButton
            label="Zoom in"
            icon={ZoomIn}
            size="small"
            disabled={zoom === ZOOMS.length - 1}
            onClick={() => setZoom(zoom + 1)}
          />
          <span className="small muted" role="status">
            {count > 0 ? `Page ${page} of ${count}` : ' '}
          </span>
          <a className="icon-button icon-button-small" href={file} download aria-label="Download">
            <Download size={16} aria-hidden />
          </a>
        </div>
        <div ref={pages} className="pdf-pages" style={{ ['--pdf-zoom' as string]: ZOOMS[zoom] }}>
          {pdf ? (
            Array.from({ length: count }, (_, index) => index + 1).map((number) => (
              <PdfPage
                key={number}
                document={pdf.document}
                number={number}
                ratio={pdf.ratio}
                zoom={ZOOMS[zoom] ?? 1}
              />
            ))
          ) : (
            <Skeleton width="min(52rem, 100%)" height="70dvh" />
          )}
        </div>
      </div>
    </div>
  );
}
