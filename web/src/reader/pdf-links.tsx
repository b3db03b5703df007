import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { useEffect, useState } from 'react';

interface PdfLink {
  /** The address of an external link; undefined for a link within the document. */
  url: string | undefined;
  /** The page of a link within the document, from 1. */
  page: number | undefined;
  /** In percent of the page. */
  box: { left: number; top: number; width: number; height: number };
}

interface PdfLinksProps {
  document: PDFDocumentProxy;
  number: number;
  onGo: (page: number) => void;
}

/** The links of a page, above its picture. */
export function PdfLinks({ document: pdf, number, onGo }: PdfLinksProps) {
  const [links, setLinks] = useState<PdfLink[]>([]);
  useEffect(() => {
    let isOver = false;
    void pdf
      .getPage(number)
      .then((page) => linksOf(pdf, page))
      // A page whose links cannot be read is shown without them.
      .catch(() => [])
      .then((found) => !isOver && setLinks(found));
    return () => {
      isOver = true;
    };
  }, [pdf, number]);
  return links.map(({ url, page, box }, index) => {
    const style = Object.fromEntries(Object.entries(box).map(([side, share]) => [side, `${share}%`]));
    const shared = { className: 'pdf-link', style };
    const key = `${index} ${url ?? page}`;
    return url === undefined ? (
      <button
        key={key}
        {...shared}
        type="button"
        aria-label={`Go to page ${page}`}
        onClick={() => onGo(page ?? 1)}
      />
    ) : (
      <a key={key} {...shared} href={url} target="_blank" rel="noopener noreferrer" aria-label={url} />
    );
  });
}

async function linksOf(pdf: PDFDocumentProxy, page: PDFPageProxy): Promise<PdfLink[]> {
  const viewport = page.getViewport({ scale: 1 });
  const links: PdfLink[] = [];
  for (const { subtype, url, dest, rect } of await page.getAnnotations()) {
    if (subtype !== 'Link') continue;
    const isWeb = typeof url === 'string' && /^(https?:|mailto:)/i.test(url);
    const target = isWeb ? undefined : await pageOf(pdf, dest);
    if (!isWeb && target === undefined) continue;
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = viewport.convertToViewportRectangle(rect);
    const share = (part: number, whole: number) => (part / whole) * 100;
    links.push({
      url: isWeb ? url : undefined,
      page: target,
      box: {
        left: share(Math.min(x1, x2), viewport.width),
        top: share(Math.min(y1, y2), viewport.height),
        width: share(Math.abs(x2 - x1), viewport.width),
        height: share(Math.abs(y2 - y1), viewport.height),
      },
    });
  }
  return links;
}

/** The page that a destination names, from 1. */
async function pageOf(pdf: PDFDocumentProxy, dest: unknown): Promise<number | undefined> {
  const explicit = typeof dest === 'string' ? await pdf.getDestination(dest) : dest;
  const [reference] = Array.isArray(explicit) ? explicit : [];
  if (typeof reference === 'number') return reference + 1;
  return reference ? (await pdf.getPageIndex(reference)) + 1 : undefined;
}
