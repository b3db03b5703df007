/**
 * The styles of every fixed page, below those of its book. The names of the layers are those of the server's style sheets. The
 * rules that keep a page in its box are outside of the shadow root, where a book cannot override them.
 */
const BASE = `
@layer base, book, own;
@layer base {
  .prose-part, .page-root { height: 100%; }
  .page-body { min-height: 100%; margin: 0; }
  .page-picture { display: block; width: 100%; height: 100%; object-fit: contain; }
  .page-words { position: absolute; inset: 0; overflow: hidden; opacity: 0; pointer-events: none; }
  .table-box { display: contents; }
  a { color: inherit; }
}
::highlight(nexus-highlight-yellow) { background-color: #ffe784; }
::highlight(nexus-highlight-green) { background-color: #bdeac0; }
::highlight(nexus-highlight-blue) { background-color: #bfe0ff; }
::highlight(nexus-highlight-pink) { background-color: #ffcede; }
::highlight(nexus-highlight-purple) { background-color: #dfd2ff; }
::highlight(nexus-highlight-begun) { background-color: #cfe5de; }
::highlight(nexus-highlight-shared) { text-decoration: underline dotted; }
::highlight(nexus-highlight-current) { text-decoration: underline 2px; }
::highlight(nexus-finding) { background-color: #ffe08a; color: #000; }
::highlight(nexus-finding-here) { background-color: #b4540a; color: #fff; }
`;

let base: CSSStyleSheet | undefined;

/** Returns the style sheets of a page, for a shadow root. */
export function pageSheets(styles: string): CSSStyleSheet[] {
  base ??= sheetOf(BASE);
  return [base, sheetOf(styles)];
}

function sheetOf(styles: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  return sheet;
}
