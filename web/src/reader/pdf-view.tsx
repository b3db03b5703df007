import './pdf.css';
import { Download, ZoomIn, ZoomOut } from 'lucide-react';
import type { PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useFragmentRequests } from '../analysis/fragment-requests.ts';
import { ApiError, apiUrl } from '../api/client.ts';
import { useShortcuts } from '../keyboard/shortcuts.ts';
import { titleOf } from '../library/format.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { ErrorState, Skeleton } from '../ui/states.tsx';
import { useWindowEvent } from '../ui/use-window-event.ts';
import { Contents } from './contents.tsx';
import { openPdf, PdfPage } from './pdf-page.tsx';
import { ReaderEnd } from './reader-end.tsx';
import type { ViewProps } from './reader-page.tsx';

/** The height of the bars above the pages. */
const TOP = 112;
const ZOOMS = [0.6, 0.8, 1, 1.25, 1.6, 2];
const BROKEN = new ApiError(
  0,
  'E_INVALID_STATE',
  'This PDF could not be displayed. It may be damaged. Download it to open it in another program.',
);

/** Shows the pages of a PDF. Each is drawn when it is near the screen. */
export default function PdfView({ media, target, onMove, onVisit, isContentsOpen, onContents }: ViewProps) {
  const [pdf, setPdf] = useState<{ document: PDFDocumentProxy; ratio: number }>();
  const [error, setError] = useState<unknown>();
  const [zoom, setZoom] = useState(2);
  const [page, setPage] = useState(target.position.page ?? 1);
  const pages = useRef<HTMLDivElement>(null);
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

  const goTo = (number: number) => {
    onVisit({ at: number - 1 });
    if (window.innerWidth < 900) onContents(false);
  };
  useFragmentRequests((idx) => goTo(idx + 1));
  const expected = useRef(-1);
  /** The page at the top of the screen, the part of it above, and the scroll offset. */
  const seen = useRef({ number: 1, offset: 0, scrollY: 0 });
  const scrollTo = useCallback((number: number, offset: number) => {
    const all = pages.current?.children;
    const box = all?.[Math.min(number, all.length) - 1]?.getBoundingClientRect();
    if (!box) return;
    const isBeginning = number === 1 && offset === 0;
    window.scrollTo(0, isBeginning ? 0 : window.scrollY + box.top + box.height * offset - TOP);
    expected.current = window.scrollY;
    seen.current = { number, offset, scrollY: window.scrollY };
  }, []);
  useLayoutEffect(() => {
    if (!pdf) return;
    const { page: number = 1, offset = 0 } = target.position;
    setPage(number);
    scrollTo(number, offset);
  }, [pdf, target, scrollTo]);
  // Another zoom or width, and pages of another size than the first, keep the page where it was.
  useEffect(() => {
    if (!pdf || !pages.current) return;
    const observer = new ResizeObserver(() => {
      const { number, offset, scrollY } = seen.current;
      if (Math.abs(window.scrollY - scrollY) < 2) scrollTo(number, offset);
    });
    observer.observe(pages.current);
    return () => observer.disconnect();
  }, [pdf, scrollTo]);

  const enlarge = (step: 1 | -1) => setZoom(Math.min(ZOOMS.length - 1, Math.max(0, zoom + step)));
  useShortcuts([
    { keys: '+', label: 'Zoom in', group: 'Reader', run: () => enlarge(1) },
    { keys: '-', label: 'Zoom out', group: 'Reader', run: () => enlarge(-1) },
  ]);

  const count = pdf?.document.numPages ?? 0;
  const report = () => {
    if (!pdf || Math.abs(window.scrollY - expected.current) < 2) return;
    expected.current = -1;
    const boxes = [...(pages.current?.children ?? [])].map((element) => element.getBoundingClientRect());
    const middle = boxes.findIndex(({ bottom }) => bottom > window.innerHeight / 2);
    setPage(middle < 0 ? boxes.length : middle + 1);
    const top = Math.max(
      0,
      boxes.findIndex(({ bottom }) => bottom > TOP),
    );
    const box = boxes[top];
    if (!box) return;
    const exact = Math.max(0, (TOP - box.top) / box.height);
    const offset = Math.round(exact * 100) / 100;
    seen.current = { number: top + 1, offset: exact, scrollY: window.scrollY };
    const share = window.scrollY / Math.max(1, document.documentElement.scrollHeight - window.innerHeight);
    onMove(share, { page: top + 1, offset });
  };
  useWindowEvent('scroll', report);
  // In the capture phase, before the place is sent.
  useWindowEvent('pagehide', report, { capture: true });

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
        <Contents outline={media.outline} current={page - 1} onGo={(fragment) => goTo(fragment + 1)} />
      )}
      <div className="pdf">
        <h1 className="visually-hidden">{titleOf(media)}</h1>
        <div className="pdf-tools" role="toolbar" aria-label="Pages">
          <IconButton
            label="Zoom out"
            icon={ZoomOut}
            size="small"
            disabled={zoom === 0}
            onClick={() => enlarge(-1)}
          />
          <Button look="ghost" size="small" onClick={() => setZoom(2)}>
            {Math.round((ZOOMS[zoom] ?? 1) * 100)} %
          </Button>
          <IconButton
            label="Zoom in"
            icon={ZoomIn}
            size="small"
            disabled={zoom === ZOOMS.length - 1}
            onClick={() => enlarge(1)}
          />
          <PageField key={page} page={page} count={count} onGo={goTo} />
          <a className="icon-button icon-button-small" href={file} download aria-label="Download">
            <Download size={16} aria-hidden />
          </a>
        </div>
        <div ref={pages} className="pdf-pages" style={{ ['--pdf-zoom' as string]: ZOOMS[zoom] }}>
          {pdf ? (
            Array.from({ length: count }, (_, index) => index + 1).map((number) => (
              <PdfPage key={number} document={pdf.document} number={number} ratio={pdf.ratio} onGo={goTo} />
            ))
          ) : (
            <Skeleton width="min(52rem, 100%)" height="70dvh" />
          )}
        </div>
        {pdf && <ReaderEnd media={media} />}
      </div>
    </div>
  );
}

interface PageFieldProps {
  page: number;
  count: number;
  onGo: (page: number) => void;
}

/** The number of the page that is shown. Another number goes there. */
function PageField({ page, count, onGo }: PageFieldProps) {
  const [typed, setTyped] = useState(String(page));
  if (count === 0) return <span className="small muted"> </span>;
  return (
    <form
      className="pdf-page-field small muted"
      onSubmit={(event) => {
        event.preventDefault();
        const wanted = Math.round(Number(typed));
        if (wanted >= 1 && wanted <= count) onGo(wanted);
        else setTyped(String(page));
      }}
    >
      <input
        className="input"
        aria-label="Page"
        inputMode="numeric"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onFocus={(event) => event.target.select()}
        onBlur={() => setTyped(String(page))}
      />
      <span aria-hidden>of {count}</span>
      <span className="visually-hidden" role="status">
        Page {page} of {count}
      </span>
    </form>
  );
}
